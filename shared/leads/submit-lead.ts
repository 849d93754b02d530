import { requireActiveFunnel } from '../funnels/active-funnel.ts';
import type { Funnel, FunnelRepository, FunnelVersion } from '../funnels/funnel.ts';
import { HttpError, internalError } from '../http/errors.ts';
import { warnAboutMisspellings } from '../http/misspellings.ts';
import { uuid } from '../http/schemas.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdGenerator } from '../platform/id-generator.ts';
import type { Logger } from '../platform/logger.ts';
import type { SecretStore } from '../platform/secret-store.ts';
import type { FileAttacher, LeadIdentity } from './attach-files.ts';
import { extractConsentChanges } from './consent-changes.ts';
import { classifyDevice } from './device-class.ts';
import { LEAD_BYTES_MAX, type LeadRepository, type LeadWrite } from './lead.ts';
import { attachLeadHandle } from './lead-error.ts';
import { deriveHandle, generateHandle, hashToken, type LeadHandle } from './lead-handle.ts';
import { droppedMetadataMetric, type ParsedSubmission } from './parse-submission.ts';
import type { SubmitRateLimiter } from './submit-rate-limiter.ts';
import { type DataValidationResult, validateData } from './validate-data.ts';

export type SubmitLeadPorts = {
  funnels: FunnelRepository;
  leads: LeadRepository;
  fileAttacher: FileAttacher;
  secrets: SecretStore;
  rateLimiter: SubmitRateLimiter;
  clock: Clock;
  ids: IdGenerator;
  /** The id of the secret that handles of repeatable submits are derived from. */
  secretId: () => string;
  /** How long an update token is valid after the last submit. */
  tokenDays: number;
};

type Headers = Record<string, string | undefined>;

/** What a submit needs besides what the page wrote into the body. */
export type SubmitContext = {
  funnelId: string;
  rawBody: string;
  /** By lower-cased name. */
  headers: Headers;
  log: Logger;
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
export async function submitLead(
  ports: SubmitLeadPorts,
  call: SubmitContext,
  submission: ParsedSubmission,
): Promise<LeadHandle> {
  const { handle } = submission;
  if (handle === undefined) return write(create, ports, call, submission, await handleOfNew(ports, call));
  return write(update, ports, call, submission, handle).catch((cause: unknown) => {
    throw attachHandleToServerError(cause, handle);
  });
}

async function write(
  save: Save,
  ports: SubmitLeadPorts,
  call: SubmitContext,
  { members, metadata: side }: ParsedSubmission,
  handle: LeadHandle,
): Promise<LeadHandle> {
  const funnel = await admit(ports, call, handle);
  const rules = await rulesOf(ports, funnel, side.funnel_version_id, call.log);
  const lead = { orgId: funnel.orgId, funnelId: funnel.id, leadId: handle.id };
  warnAboutMisspellings(
    call.warnings,
    members.keys(),
    rules.fields.map(({ id }) => id),
    'body.data',
  );
  const judged = await validateData(members, rules, side.step_id);
  const { changes, errors } = await withKeptFiles(ports.fileAttacher, rules, judged, lead);
  const atMs = ports.clock.now();
  await save(ports.leads, call.funnelId, handle, {
    tokenHash: hashToken(handle.updateToken),
    atMs,
    tokenExpiresAtMs: atMs + ports.tokenDays * DAY_MS,
    expiresAtMs: funnel.leadRetentionDays === undefined ? undefined : atMs + funnel.leadRetentionDays * DAY_MS,
    changes,
    consents: extractConsentChanges(changes, rules),
    stepId: side.step_id,
    pageUrl: side.page_url,
    webcomponentArgs: side.webcomponent_args,
    cookieConsent: side.cookie_consent,
    deviceClass: classifyDevice(call.headers['user-agent'] ?? ''),
  });
  if (errors.length > 0)
    throw attachLeadHandle(
      new HttpError(422, 'Some fields are not valid, see validation_errors. The other fields are saved.'),
      handle,
      errors,
    );
  return handle;
}

/** Most funnels take no files: the code for them is evaluated for those that do. */
async function withKeptFiles(
  files: FileAttacher,
  { fields }: FunnelVersion,
  judged: DataValidationResult,
  lead: LeadIdentity,
): Promise<DataValidationResult> {
  if (!fields.some(({ type }) => type === 'file')) return judged;
  const { attachFiles: withFiles } = await import('./attach-files.ts');
  return withFiles(files, fields, judged, lead);
}

/** A submit too many is told so before anything about the funnel is. */
async function admit(
  { funnels, rateLimiter: pace, clock }: SubmitLeadPorts,
  call: SubmitContext,
  handle: LeadHandle,
): Promise<Funnel> {
  const funnel = await funnels.find(call.funnelId);
  // By the whole handle: who knows a lead's id alone can't use up its pace.
  pace.consume(hashToken(handle.id + handle.updateToken), funnel?.limits.submitsPerMinuteAndLead);
  return requireActiveFunnel(funnel, clock, call.headers.origin);
}

async function handleOfNew(ports: SubmitLeadPorts, call: SubmitContext): Promise<LeadHandle> {
  const { funnelId, rawBody } = call;
  const idempotencyKey = call.headers['idempotency-key'];
  if (idempotencyKey === undefined) return generateHandle(ports.ids);
  const secret = await ports.secrets.read(ports.secretId()).catch((cause: unknown) => {
    throw new HttpError(503, 'Leads cannot be created. Try again shortly.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  });
  return deriveHandle(secret, { funnelId, idempotencyKey, rawBody });
}

/** The rules of the version that the page was built for, else of the published one. */
async function rulesOf(
  ports: SubmitLeadPorts,
  funnel: Funnel,
  asked: string | undefined,
  log: Logger,
): Promise<FunnelVersion> {
  const version = asked === undefined ? undefined : await ports.funnels.findVersion(funnel, asked);
  if (version !== undefined) return version;
  if (asked !== undefined) log.recordMetric(droppedMetadataMetric('funnel_version_id'));
  const current = await ports.funnels.findVersion(funnel);
  if (current === undefined) throw new Error(`The published version of funnel ${funnel.id} is missing.`);
  return current;
}

type Save = (leads: LeadRepository, funnelId: string, handle: LeadHandle, submit: LeadWrite) => Promise<void>;

/** A failure here names no handle: whoever came back with it would find no lead. */
const create: Save = async (leads, funnelId, handle, submit) => {
  const created = await leads.create({ funnelId, leadId: handle.id }, submit);
  // A page that repeats its first submit must not bring back who was erased.
  if (created.outcome === 'erased') throw leadNotFound();
  if (created.outcome === 'taken' && created.tokenHash !== submit.tokenHash) {
    throw new HttpError(
      400,
      'header.idempotency-key was used with another body. Send the same body, or use a new key.',
    );
  }
};

const update: Save = async (leads, funnelId, handle, submit) => {
  if (!uuid.safeParse(handle.id).success) throw leadNotFound();
  const outcome = await leads.merge({ funnelId, leadId: handle.id }, submit);
  if (outcome === 'unknown_lead') throw leadNotFound();
  if (outcome === 'invalid_token') {
    throw new HttpError(
      403,
      'body.update_token is wrong or has expired. Submit without lead_id and update_token to create a new lead.',
      { code: 'invalid_update_token' },
    );
  }
  if (outcome === 'too_large') {
    throw attachLeadHandle(
      new HttpError(413, `A lead must have at most ${LEAD_BYTES_MAX} bytes in total. This submit was not saved.`),
      handle,
      null,
    );
  }
};

const leadNotFound = (): HttpError => new HttpError(404, 'There is no lead with this id in the funnel (body.lead_id).');

/** A fault of ours names the handle, so that the page can go on with it. */
function attachHandleToServerError(cause: unknown, handle: LeadHandle): unknown {
  if (cause instanceof HttpError && cause.status < 500) return cause;
  return attachLeadHandle(cause instanceof HttpError ? cause : internalError(cause), handle, null);
}
