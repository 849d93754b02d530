import type { Funnel, Funnels, FunnelVersion } from '../directory/funnel.ts';
import { requireOpen } from '../directory/open-funnel.ts';
import { internalError, Problem } from '../http/problem.ts';
import { uuid } from '../http/schemas.ts';
import { warnOfSpelling } from '../http/spelling.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { consentChanges } from './consent.ts';
import { deviceClass } from './device-class.ts';
import type { Files, Lead } from './field-files.ts';
import { type Judged, judgeData } from './judge-data.ts';
import { LEAD_BYTES_MAX, type LeadSubmit, type Leads } from './lead.ts';
import { hashToken, type LeadHandle, newHandle, repeatableHandle } from './lead-handle.ts';
import type { LeadPace } from './lead-pace.ts';
import { withHandle } from './lead-problem.ts';
import { droppedMetric, type Submission } from './read-submission.ts';

export type SubmitPorts = {
  funnels: Funnels;
  leads: Leads;
  files: Files;
  secrets: Secrets;
  pace: LeadPace;
  clock: Clock;
  ids: Ids;
  /** The id of the secret that handles of repeatable submits are derived from. */
  secretId: () => string;
  /** How long an update token is valid after the last submit. */
  tokenDays: number;
};

type Headers = Record<string, string | undefined>;

/** What a submit needs besides what the page wrote into the body. */
export type SubmitCall = {
  funnelId: string;
  rawBody: string;
  /** By lower-cased name. */
  headers: Headers;
  log: Log;
  /** Of the request: becomes the response header `x-warning`. */
  warnings: Set<string>;
};

const DAY_MS = 86_400_000;

/**
 * Creates or updates a lead. What is valid is saved before the rest is refused, so that a typo never loses a lead.
 *
 * @throws Problem 429; 404 and 403 for the funnel, then for the lead; 400 for a reused Idempotency-Key; 422 with the
 *   faults and the handle; 413, 500 and 503 of an update with the handle
 */
export async function submitLead(ports: SubmitPorts, call: SubmitCall, submission: Submission): Promise<LeadHandle> {
  const { handle } = submission;
  if (handle === undefined) return write(create, ports, call, submission, await handleOfNew(ports, call));
  return write(update, ports, call, submission, handle).catch((cause: unknown) => {
    throw faultWithHandle(cause, handle);
  });
}

async function write(
  save: Save,
  ports: SubmitPorts,
  call: SubmitCall,
  { members, side }: Submission,
  handle: LeadHandle,
): Promise<LeadHandle> {
  const funnel = await admit(ports, call, handle);
  const rules = await rulesOf(ports, funnel, side.funnel_version_id, call.log);
  const lead = { orgId: funnel.orgId, funnelId: funnel.id, leadId: handle.id };
  warnOfSpelling(
    call.warnings,
    members.keys(),
    rules.fields.map(({ id }) => id),
    'body.data',
  );
  const judged = await judgeData(members, rules, side.step_id);
  const { changes, errors } = await withKeptFiles(ports.files, rules, judged, lead);
  const atMs = ports.clock.now();
  await save(ports.leads, call.funnelId, handle, {
    tokenHash: hashToken(handle.updateToken),
    atMs,
    tokenExpiresAtMs: atMs + ports.tokenDays * DAY_MS,
    expiresAtMs: funnel.leadRetentionDays === undefined ? undefined : atMs + funnel.leadRetentionDays * DAY_MS,
    changes,
    consents: consentChanges(changes, rules),
    stepId: side.step_id,
    pageUrl: side.page_url,
    webcomponentArgs: side.webcomponent_args,
    cookieConsent: side.cookie_consent,
    deviceClass: deviceClass(call.headers['user-agent'] ?? ''),
  });
  if (errors.length > 0)
    throw withHandle(
      new Problem(422, 'Some fields are not valid, see validation_errors. The other fields are saved.'),
      handle,
      errors,
    );
  return handle;
}

/** Most funnels take no files: the code for them is evaluated for those that do. */
async function withKeptFiles(files: Files, { fields }: FunnelVersion, judged: Judged, lead: Lead): Promise<Judged> {
  if (!fields.some(({ type }) => type === 'file')) return judged;
  const { withFiles } = await import('./field-files.ts');
  return withFiles(files, fields, judged, lead);
}

/** A submit too many is told so before anything about the funnel is. */
async function admit({ funnels, pace, clock }: SubmitPorts, call: SubmitCall, handle: LeadHandle): Promise<Funnel> {
  const funnel = await funnels.find(call.funnelId);
  // By the whole handle: who knows a lead's id alone can't use up its pace.
  pace.count(hashToken(handle.id + handle.updateToken), funnel?.limits.submitsPerMinuteAndLead);
  return requireOpen(funnel, clock, call.headers.origin);
}

async function handleOfNew(ports: SubmitPorts, call: SubmitCall): Promise<LeadHandle> {
  const { funnelId, rawBody } = call;
  const idempotencyKey = call.headers['idempotency-key'];
  if (idempotencyKey === undefined) return newHandle(ports.ids);
  const secret = await ports.secrets.read(ports.secretId()).catch((cause: unknown) => {
    throw new Problem(503, 'Leads cannot be created. Try again shortly.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  });
  return repeatableHandle(secret, { funnelId, idempotencyKey, rawBody });
}

/** The rules of the version that the page was built for, else of the published one. */
async function rulesOf(
  ports: SubmitPorts,
  funnel: Funnel,
  asked: string | undefined,
  log: Log,
): Promise<FunnelVersion> {
  const version = asked === undefined ? undefined : await ports.funnels.version(funnel, asked);
  if (version !== undefined) return version;
  if (asked !== undefined) log.count(droppedMetric('funnel_version_id'));
  const current = await ports.funnels.version(funnel);
  if (current === undefined) throw new Error(`The published version of funnel ${funnel.id} is missing.`);
  return current;
}

type Save = (leads: Leads, funnelId: string, handle: LeadHandle, submit: LeadSubmit) => Promise<void>;

/** A failure here names no handle: whoever came back with it would find no lead. */
const create: Save = async (leads, funnelId, handle, submit) => {
  const created = await leads.create({ funnelId, leadId: handle.id }, submit);
  // A page that repeats its first submit must not bring back who was erased.
  if (created.outcome === 'erased') throw noSuchLead();
  if (created.outcome === 'taken' && created.tokenHash !== submit.tokenHash) {
    throw new Problem(400, 'header.idempotency-key was used with another body. Send the same body, or use a new key.');
  }
};

const update: Save = async (leads, funnelId, handle, submit) => {
  if (!uuid.safeParse(handle.id).success) throw noSuchLead();
  const outcome = await leads.save({ funnelId, leadId: handle.id }, submit);
  if (outcome === 'unknown_lead') throw noSuchLead();
  if (outcome === 'invalid_token') {
    throw new Problem(
      403,
      'body.update_token is wrong or has expired. Submit without lead_id and update_token to create a new lead.',
      { code: 'invalid_update_token' },
    );
  }
  if (outcome === 'too_large') {
    throw withHandle(
      new Problem(413, `A lead must have at most ${LEAD_BYTES_MAX} bytes in total. This submit was not saved.`),
      handle,
      null,
    );
  }
};

const noSuchLead = (): Problem => new Problem(404, 'There is no lead with this id in the funnel (body.lead_id).');

/** A fault of ours names the handle, so that the page can go on with it. */
function faultWithHandle(cause: unknown, handle: LeadHandle): unknown {
  if (cause instanceof Problem && cause.status < 500) return cause;
  return withHandle(cause instanceof Problem ? cause : internalError(cause), handle, null);
}
