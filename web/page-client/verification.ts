import { CODE_DIGITS, digitsOf } from './code-input.ts';
import type { Funnel, Lead } from './funnel.d.mts';
import { retry } from './retry.ts';
import { createSteadyClock } from './steady-clock.ts';
import { type ApiResponse, post } from './transport.ts';
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
/** The service sends at most one code to a destination within this time. */
const RESEND_MS = 30_000;
const ATTEMPTS_MAX = 3;

type Wait = { fromMs: number; ms: number };

/** What this tab stores about a lead. Waits that are over are deleted. */
type LeadRecord = {
  /** The last code, while it is valid. */
  sent?: Wait & { code: Omit<SentCode, 'resendAtMs'> };
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
  /** The members of the last request, as JSON; empty when the request has ended. */
  let lastRequest = '';
  let lastOutcome: Promise<unknown> = Promise.resolve();
  let leadId: string | undefined;
  /** The record of the lead with the id `leadId`. */
  let current: LeadRecord = {};

  const waitOf = (ms: number): Wait => ({ fromMs: now(), ms });

  /** Milliseconds until a wait ends. */
  const leftMs = (wait: Wait | undefined): number => (wait ? wait.fromMs + wait.ms - now() : 0);

  function removeExpired(record: LeadRecord): LeadRecord {
    for (const [name, wait] of Object.entries(record) as [keyof LeadRecord, Wait][]) {
      // If the clock was moved back before a reload, the stored wait begins in the future. Then it begins now.
      wait.fromMs = Math.min(wait.fromMs, now());
      if (leftMs(wait) <= 0) delete record[name];
    }
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

  /** Calls `onChange` now, and again whenever time changes the state. */
  function announce(): VerificationState {
    clearTimeout(timer);
    const { sent, resend, check } = removeExpired(current);
    const state = {
      sent: sent && { ...sent.code, resendAtMs: Date.now() + leftMs(resend) },
      isSending: active === 'send',
      isChecking: active === 'check',
      resendSeconds: Math.ceil(leftMs(resend) / 1_000),
      checkSeconds: Math.ceil(leftMs(check) / 1_000),
    };
    if (isClosed) return state;
    if (!sent) writeRecord(leadId, current);
    const changesMs = Object.entries(current).map(([name, wait]) =>
      name === 'sent' ? leftMs(wait) : leftMs(wait) % 1_000 || 1_000,
    );
    if (changesMs.length > 0) timer = setTimeout(announce, Math.min(...changesMs));
    onChange?.(state);
    return state;
  }

  /**
   * Sends a request after the previous request has ended. If the previous request has not ended and has the same
   * members, returns the outcome of the previous request instead.
   *
   * @param outcomeOf applies a response to the record. Returns undefined if the response is a failure
   */
  function request<Data, Outcome>(
    action: 'send' | 'check',
    members: Record<string, unknown>,
    outcomeOf: (record: LeadRecord, response: ApiResponse<Data>) => Outcome | undefined,
  ): Promise<Outcome | VerificationFailure> {
    async function sendRequest(): Promise<Outcome | VerificationFailure> {
      const lead = await loadLead();
      if (!lead) return { status: 'unavailable' };
      // If the page starts another lead during the request, `current` changes. `record` still belongs to the old lead.
      const record = removeExpired(current);
      if (action === 'check' && record.check) return waiting(leftMs(record.check));
      active = action;
      announce();
      const url = funnel.urlOf(`/api/v2/public/funnel/{id}/mfa/${action}`);
      const body = JSON.stringify({ lead_id: lead.id, update_token: lead.update_token, ...members });
      // Asks for a message in the language of the page. Replaces characters that the preflight refuses in this header,
      // such as the `_` of `de_DE`.
      const language = (document.documentElement.lang || navigator.language).replace(/[^a-z\d-]/gi, '-');
      const headers = { 'Content-Type': 'application/json', 'Accept-Language': language };
      const response = await retry(() => post<Data>(url, body, { headers }), { isFinal, attemptsMax: ATTEMPTS_MAX });
      active = undefined;
      const outcome = (response && outcomeOf(record, response)) ?? failureOf(response);
      writeRecord(lead.id, record);
      announce();
      return outcome;
    }

    const request = JSON.stringify(members);
    if (lastRequest !== request) {
      lastRequest = request;
      const outcome = lastOutcome
        .catch(() => undefined)
        .then(sendRequest)
        .finally(() => {
          if (lastOutcome === outcome) lastRequest = '';
        });
      lastOutcome = outcome;
    }
    return lastOutcome as Promise<Outcome | VerificationFailure>;
  }

  return {
    async state() {
      await loadLead();
      return announce();
    },
    send: (requested) =>
      request<SendData, SendOutcome>('send', { channel: requested }, (record, { status, body, retryAfterMs }) => {
        const sentChannel = record.sent?.code.channel;
        // `resend` belongs to the channel of the last code. A 429 for another channel does not change it.
        if (status === 429 && (!requested || !sentChannel || requested === sentChannel))
          record.resend = waitOf(retryAfterMs);
        if (!body?.data) return undefined;
        const { channel, masked_destination, available_channels } = body.data;
        const code = { channel, maskedDestination: masked_destination, availableChannels: available_channels };
        record.sent = { ...waitOf(CODE_MS), code };
        record.resend = waitOf(RESEND_MS);
        return { status: 'sent', ...code, resendAtMs: Date.now() + RESEND_MS };
      }),
    async check(text) {
      const code = digitsOf(text);
      // The service would count an incomplete code as a failed attempt.
      if (code.length !== CODE_DIGITS) return { status: 'incorrect' };
      return request<CheckData, CheckOutcome>('check', { code }, (record, { status, body, retryAfterMs }) => {
        if (status === 429) record.check = waitOf(retryAfterMs);
        if (body?.error?.code === 'code_invalid') return { status: 'incorrect' };
        if (body?.error?.code === 'code_expired') return { status: 'expired' };
        if (!body?.data) return undefined;
        delete record.sent;
        delete record.resend;
        return { status: 'verified', contactField: body.data.contact_field };
      });
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Whether the response comes from the API, and not for example from the login page of a network. */
const isFromApi = ({ body }: ApiResponse<unknown>): boolean => Boolean(body?.data ?? body?.error);

const isFinal = (response: ApiResponse<unknown>): boolean => isFromApi(response) && response.status <= 500;

const waiting = (ms: number): VerificationFailure => ({ status: 'waiting', retryAtMs: Date.now() + ms });

function failureOf(response: ApiResponse<unknown> | undefined): VerificationFailure {
  if (!response || !isFromApi(response)) return { status: 'unreachable' };
  if (response.status === 429) return waiting(response.retryAfterMs);
  return { status: response.status >= 500 ? 'failed' : 'unavailable' };
}

const keyOf = (leadId: string | undefined): string => `tributary-code-${leadId}`;

/** `sessionStorage` throws where it is blocked. The record then stays in memory. */
function readRecord(leadId: string | undefined): LeadRecord {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(leadId)) ?? '{}');
  } catch {
    return {};
  }
}

function writeRecord(leadId: string | undefined, record: LeadRecord): void {
  try {
    const text = JSON.stringify(record);
    if (text === '{}') sessionStorage.removeItem(keyOf(leadId));
    else sessionStorage.setItem(keyOf(leadId), text);
  } catch {
    // Storage is blocked. The record stays in memory.
  }
}
