import { normalizeCode } from './code-input.ts';
import type { Funnel, Lead } from './funnel.d.mts';
import { retry } from './retry.ts';
import { createSteadyClock } from './steady-clock.ts';
import { post, type Reply } from './transport.ts';
import type {
  Channel,
  CheckOutcome,
  SendOutcome,
  SentCode,
  Verification,
  VerificationFailure,
  VerificationOptions,
  VerificationState,
} from './verification.d.mts';

export { bindCodeInput } from './code-input.ts';

/** How long the service accepts a code. */
const CODE_MS = 10 * 60_000;
/** The service sends one code to a destination in this time. */
const RESEND_MS = 30_000;
const ATTEMPTS_MAX = 3;

type Wait = { fromMs: number; ms: number };

/** What this tab stores about a lead. Waits that are over are deleted. */
type LeadRecord = {
  sent?: Omit<SentCode, 'resendAtMs'>;
  validity?: Wait;
  resend?: Wait;
  check?: Wait;
};

type SendData = { channel: Channel; masked_destination: string; available_channels: Channel[] };
type CheckData = { verified: boolean; contact_field: string };

/** See `verification.d.mts`. */
export function createVerification(funnel: Funnel, { onChange }: VerificationOptions = {}): Verification {
  const now = createSteadyClock();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let active: 'send' | 'check' | undefined;
  let last: { name: string; outcome: Promise<unknown> } | undefined;
  let leadId: string | undefined;
  /** The record of the lead. */
  let current: LeadRecord = {};

  const waitOf = (ms: number): Wait => ({ fromMs: now(), ms });

  /** After a reload, the clock may be earlier than at the start of the wait. */
  const leftMs = (wait: Wait | undefined): number => (wait ? Math.min(wait.ms, wait.fromMs + wait.ms - now()) : 0);

  function removeExpired(record: LeadRecord): LeadRecord {
    for (const name of ['validity', 'resend', 'check'] as const) if (leftMs(record[name]) <= 0) delete record[name];
    if (!record.validity) delete record.sent;
    return record;
  }

  async function loadLead(): Promise<Lead | undefined> {
    const lead = await funnel.lead();
    if (lead?.id !== leadId) {
      leadId = lead?.id;
      current = removeExpired(readRecord(leadId));
    }
    return lead;
  }

  function stateOf(record: LeadRecord): VerificationState {
    const { sent, resend, check } = removeExpired(record);
    return {
      sent: sent && { ...sent, resendAtMs: Date.now() + leftMs(resend) },
      isSending: active === 'send',
      isChecking: active === 'check',
      resendSeconds: Math.ceil(leftMs(resend) / 1_000),
      checkSeconds: Math.ceil(leftMs(check) / 1_000),
    };
  }

  /** Calls `onChange` now, and again whenever time changes the state. */
  function announce(): VerificationState {
    clearTimeout(timer);
    const state = stateOf(current);
    if (isClosed) return state;
    const { sent, validity, resend, check } = current;
    if (!sent) writeRecord(leadId, current);
    const changesMs = [resend, check].flatMap((wait) => (wait ? leftMs(wait) % 1_000 || 1_000 : []));
    if (sent) changesMs.push(leftMs(validity));
    if (changesMs.length > 0) timer = setTimeout(announce, Math.min(...changesMs));
    onChange?.(state);
    return state;
  }

  function store(id: string, record: LeadRecord): void {
    writeRecord(id, record);
    announce();
  }

  /** Runs one request at a time. Joins the last request if it has the same name. */
  function once<T>(name: string, request: () => Promise<T>): Promise<T> {
    if (last?.name === name) return last.outcome as Promise<T>;
    const before = last?.outcome.catch(() => undefined) ?? Promise.resolve();
    const outcome = before.then(request).finally(() => {
      if (last === entry) last = undefined;
    });
    const entry = { name, outcome };
    last = entry;
    return outcome;
  }

  async function ask<Data>(action: 'send' | 'check', { id, update_token }: Lead, members: Record<string, unknown>) {
    active = action;
    announce();
    const url = funnel.urlOf(`/api/v2/public/funnel/{id}/mfa/${action}`);
    const body = JSON.stringify({ lead_id: id, update_token, ...members });
    // The message is in the language of the page, not of the browser.
    const { lang } = document.documentElement;
    const headers = { 'Content-Type': 'application/json', ...(lang && { 'Accept-Language': lang }) };
    const reply = await retry(() => post<Data>(url, body, { headers }), { isFinal, attemptsMax: ATTEMPTS_MAX });
    active = undefined;
    return reply;
  }

  async function send(asked: Channel | undefined): Promise<SendOutcome> {
    const lead = await loadLead();
    if (!lead) return { status: 'unavailable' };
    const record = current;
    const reply = await ask<SendData>('send', lead, { channel: asked });
    const data = reply?.body?.data;
    if (data) {
      const { channel, masked_destination, available_channels } = data;
      record.sent = { channel, maskedDestination: masked_destination, availableChannels: available_channels };
      record.validity = waitOf(CODE_MS);
      record.resend = waitOf(RESEND_MS);
    } else if (reply?.status === 429 && (!asked || !record.sent || asked === record.sent.channel)) {
      // Not after a request for another channel, because the wait belongs to its destination.
      record.resend = waitOf(reply.retryAfterMs);
    }
    store(lead.id, record);
    const { sent } = stateOf(record);
    return data && sent ? { status: 'sent', ...sent } : failureOf(reply);
  }

  async function check(digits: string): Promise<CheckOutcome> {
    const lead = await loadLead();
    if (!lead) return { status: 'unavailable' };
    const record = removeExpired(current);
    if (record.check) return { status: 'waiting', retryAtMs: Date.now() + leftMs(record.check) };
    const reply = await ask<CheckData>('check', lead, { code: digits });
    const data = reply?.body?.data;
    if (data) for (const name of ['sent', 'validity', 'resend'] as const) delete record[name];
    if (reply?.status === 429) record.check = waitOf(reply.retryAfterMs);
    store(lead.id, record);
    if (data) return { status: 'verified', contactField: data.contact_field };
    const code = reply?.body?.error?.code;
    if (code === 'code_invalid') return { status: 'incorrect' };
    return code === 'code_expired' ? { status: 'expired' } : failureOf(reply);
  }

  return {
    async state() {
      await loadLead();
      return announce();
    },
    send: (channel) => once(`send ${channel}`, () => send(channel)),
    check(text) {
      const digits = normalizeCode(text);
      // The service would count an incomplete code as a failed attempt.
      return digits ? once(`check ${digits}`, () => check(digits)) : Promise.resolve({ status: 'incorrect' });
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Whether the API has responded, as opposed to a network's login page. */
const isFromApi = ({ body }: Reply<unknown>): boolean => Boolean(body?.data ?? body?.error);

const isFinal = (reply: Reply<unknown>): boolean => isFromApi(reply) && reply.status <= 500;

function failureOf(reply: Reply<unknown> | undefined): VerificationFailure {
  if (!reply || !isFromApi(reply)) return { status: 'unreachable' };
  if (reply.status === 429) return { status: 'waiting', retryAtMs: Date.now() + reply.retryAfterMs };
  return { status: reply.status >= 500 ? 'failed' : 'unavailable' };
}

const keyOf = (leadId: string | undefined): string => `tributary-verification-${leadId}`;

/** Where storage is blocked, it throws, and the record stays in memory. */
function readRecord(leadId: string | undefined): LeadRecord {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(leadId)) ?? '{}');
  } catch {
    return {};
  }
}

function writeRecord(leadId: string | undefined, record: LeadRecord): void {
  try {
    if (Object.keys(record).length > 0) sessionStorage.setItem(keyOf(leadId), JSON.stringify(record));
    else sessionStorage.removeItem(keyOf(leadId));
  } catch {
    // See `readRecord`.
  }
}
