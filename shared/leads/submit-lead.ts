import { requireActiveFunnel } from '../funnels/active-funnel.ts';
import { type Funnel, type FunnelVersion, lastStepIdOf } from '../funnels/funnel.ts';
import type { FunnelRepository } from '../funnels/ports.ts';
import { HttpError, internalError, serviceUnavailable } from '../http/errors.ts';
import { warnAboutMisspellings } from '../http/misspellings.ts';
import { uuid } from '../http/schemas.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdGenerator } from '../platform/id-generator.ts';
import type { Logger } from '../platform/logger.ts';
import { UnavailableError } from '../platform/unavailable.ts';
import { attachFiles } from './attach-files.ts';
import { LEAD_BYTES_MAX } from './lead.ts';
import { deriveHandle, generateHandle, hashToken, type LeadHandle, tokenExpiryMs } from './lead-handle.ts';
import { attachLeadHandle } from './lead-response.ts';
import { droppedMetadataMetric, type ParsedSubmit } from './parse-submit.ts';
import type { ConsentChange, FileAttacher, LeadChange, LeadRepository } from './ports.ts';
import type { SubmitRateLimiter } from './submit-rate-limiter.ts';
import { type DataChanges, type ValidationError, validateData } from './validate-data.ts';

export type SubmitLeadPorts = {
  funnels: FunnelRepository;
  leads: LeadRepository;
  fileAttacher: FileAttacher;
  rateLimiter: SubmitRateLimiter;
  /** Reads the secret from which a new lead's handle is derived if the request has an Idempotency-Key. */
  readSecret: () => Promise<string>;
  clock: Clock;
  ids: IdGenerator;
};

export type SubmitLeadSettings = {
  /**
   * The update token expires this many days after the last submit, or earlier, at the end of the lead's retention
   * period.
   */
  tokenDays: number;
};

/** The parts of the request that are not in the parsed body. */
export type SubmitRequest = {
  funnelId: string;
  rawBody: string;
  /** The request headers by lower-case name. */
  headers: Record<string, string | undefined>;
  log: Logger;
  /** Warnings that are sent in the response header `x-warning`. */
  warnings: Set<string>;
};

type SubmitWithHandle = ParsedSubmit & { handle: LeadHandle };

const DAY_MS = 86_400_000;

/**
 * Creates or updates a lead. Saves the valid fields before it rejects invalid fields, so that a typo never loses a
 * lead.
 *
 * @throws HttpError 429 above the rate limit; 404 or 403 for the funnel or the lead; 400 if the Idempotency-Key was
 *   used with another body; 422 with the validation errors and the handle. If an update fails: 413, 500 or 503, each
 *   with the handle
 * @throws UnavailableError, or HttpError 503 without a handle, if a lead can't be created
 */
export async function submitLead(
  ports: SubmitLeadPorts,
  settings: SubmitLeadSettings,
  request: SubmitRequest,
  submit: ParsedSubmit,
): Promise<LeadHandle> {
  const { handle } = submit;
  if (handle === undefined) {
    const newHandle = await createLeadHandle(ports, request);
    return createLead(ports, settings, request, { ...submit, handle: newHandle });
  }
  return mergeLead(ports, settings, request, { ...submit, handle }).catch((cause: unknown) => {
    throw attachHandleToServerError(cause, handle);
  });
}

/**
 * Creates a lead. The error 422 contains the handle, because the lead is saved. Other errors don't, because the lead
 * may not exist.
 */
async function createLead(
  ports: SubmitLeadPorts,
  settings: SubmitLeadSettings,
  request: SubmitRequest,
  submit: SubmitWithHandle,
): Promise<LeadHandle> {
  const { handle } = submit;
  const funnel = await requireFunnelWithinLimit(ports, request, handle);
  const { change, errors } = await validateAndAttachFiles(ports, settings, request, submit, funnel);
  const created = await ports.leads.create({ funnelId: request.funnelId, leadId: handle.id }, change);
  // A repeated first submit must not create an erased lead again.
  if (created.outcome === 'erased') {
    throw new HttpError(
      404,
      'The lead of this header.idempotency-key was erased or has expired. Use a new key to create another lead.',
    );
  }
  if (created.outcome === 'exists' && created.tokenHash !== change.tokenHash) {
    throw new HttpError(
      400,
      'header.idempotency-key was used with another body. Send the same body, or use a new key.',
    );
  }
  assertValid(errors, handle);
  return handle;
}

async function mergeLead(
  ports: SubmitLeadPorts,
  settings: SubmitLeadSettings,
  request: SubmitRequest,
  submit: SubmitWithHandle,
): Promise<LeadHandle> {
  const { handle } = submit;
  const funnel = await requireFunnelWithinLimit(ports, request, handle);
  // The id is checked after the funnel and the rate limit, because their errors take precedence.
  if (!uuid.safeParse(handle.id).success) throw leadNotFound();
  const { change, errors } = await validateAndAttachFiles(ports, settings, request, submit, funnel);
  const outcome = await ports.leads.merge({ funnelId: request.funnelId, leadId: handle.id }, change);
  if (outcome === 'unknown_lead') throw leadNotFound();
  if (outcome === 'invalid_token') {
    throw new HttpError(
      403,
      'body.update_token is wrong or has expired. Submit without lead_id and update_token to create a new lead.',
      { code: 'invalid_update_token' },
    );
  }
  if (outcome === 'too_large') {
    const message = `A lead must have at most ${LEAD_BYTES_MAX} bytes in total. This submit was not saved.`;
    throw attachLeadHandle(new HttpError(413, message), handle, null);
  }
  assertValid(errors, handle);
  return handle;
}

/**
 * Reads the funnel, which can have its own limit. Then counts the submit under its handle, even if the funnel is
 * unknown, so that the limit does not reveal which funnels exist. Each new lead has a new handle, except if a request
 * with an Idempotency-Key is repeated. Therefore, only the WAF limits the number of new leads.
 *
 * @throws HttpError 429; 404 and 403 for the funnel
 */
async function requireFunnelWithinLimit(
  { funnels, rateLimiter, clock }: SubmitLeadPorts,
  { funnelId, headers }: SubmitRequest,
  handle: LeadHandle,
): Promise<Funnel> {
  const found = await funnels.find(funnelId);
  rateLimiter.consume(rateLimitKey(handle), found?.limits.submitsPerMinuteAndLead);
  return requireActiveFunnel(found, clock, headers.origin);
}

/** The key depends on id and token, so that a client cannot use up a lead's limit with the lead's id alone. */
const rateLimitKey = ({ id, updateToken }: LeadHandle): string => hashToken(id + updateToken);

/**
 * Validates the submit and attaches its files. Returns the valid part as a change, and the errors of the other fields.
 */
async function validateAndAttachFiles(
  ports: SubmitLeadPorts,
  settings: SubmitLeadSettings,
  request: SubmitRequest,
  { data, handle, metadata }: SubmitWithHandle,
  funnel: Funnel,
): Promise<{ change: LeadChange; errors: ValidationError[] }> {
  const [version, { classifyDevice }] = await Promise.all([
    getVersion(ports, funnel, metadata.funnel_version_id, request.log),
    // A static import would delay every cold start, because `classify-device.ts` loads a library. Here the library
    // loads while the version is read.
    import('../platform/classify-device.ts'),
  ]);
  const fieldIds = version.fields.map(({ id }) => id);
  warnAboutMisspellings(request.warnings, data.keys(), fieldIds, 'body.data');

  const validated = await validateData(data, version, metadata.step_id);
  const lead = { orgId: funnel.orgId, funnelId: funnel.id, leadId: handle.id };
  const { changes, errors } = await attachFiles(ports.fileAttacher, version.fields, validated, lead);

  const atMs = ports.clock.now();
  const retainedUntilMs = funnel.leadRetentionDays === undefined ? undefined : atMs + funnel.leadRetentionDays * DAY_MS;
  const change: LeadChange = {
    tokenHash: hashToken(handle.updateToken),
    atMs,
    tokenExpiresAtMs: tokenExpiryMs(atMs, settings.tokenDays, retainedUntilMs),
    retainedUntilMs,
    dataChanges: changes,
    consents: extractConsentChanges(changes, version),
    stepId: metadata.step_id,
    isValidLastStep:
      errors.length === 0 && metadata.step_id !== undefined && metadata.step_id === lastStepIdOf(version),
    pageUrl: metadata.page_url,
    webcomponentArgs: metadata.webcomponent_args,
    cookieConsent: metadata.cookie_consent,
    deviceClass: classifyDevice(request.headers).deviceType,
  };
  return { change, errors };
}

/** Call this function only after the valid fields were saved. @throws HttpError 422 if there are errors */
function assertValid(errors: ValidationError[], handle: LeadHandle): void {
  if (errors.length === 0) return;
  const message = 'Some fields are not valid, see validation_errors. The other fields are saved.';
  throw attachLeadHandle(new HttpError(422, message), handle, errors);
}

async function createLeadHandle(
  ports: SubmitLeadPorts,
  { funnelId, rawBody, headers }: SubmitRequest,
): Promise<LeadHandle> {
  const idempotencyKey = headers['idempotency-key'];
  if (idempotencyKey === undefined) return generateHandle(ports.ids);
  const secret = await ports.readSecret().catch((cause: unknown) => {
    throw new UnavailableError('Leads cannot be created. Try again shortly.', { retryAfterSeconds: 5, cause });
  });
  return deriveHandle(secret, { funnelId, idempotencyKey, rawBody });
}

/**
 * Returns the version for which the page was built. If the page does not send the id of a version, or if that version
 * was never published, returns the published version.
 */
async function getVersion(
  { funnels }: SubmitLeadPorts,
  funnel: Funnel,
  requestedId: string | undefined,
  log: Logger,
): Promise<FunnelVersion> {
  const requested = requestedId === undefined ? undefined : await funnels.findVersion(funnel, requestedId);
  if (requested !== undefined) return requested;
  if (requestedId !== undefined) log.recordMetric(droppedMetadataMetric('funnel_version_id'));
  const published = await funnels.findVersion(funnel);
  if (published === undefined)
    throw new Error(
      `Published version ${funnel.publishedVersionId} of funnel ${funnel.id} is missing. Restore it from a backup.`,
    );
  return published;
}

/**
 * Returns the changes of consent fields. The lead stores them with their time and text version as proof of the consent.
 */
function extractConsentChanges(changes: DataChanges, { id, fields }: FunnelVersion): ConsentChange[] {
  return fields.flatMap(({ id: field, type, textVersion }) => {
    const json = type === 'consent' ? changes.get(field) : undefined;
    return json === undefined ? [] : [{ field, given: json === 'true', textVersion, versionId: id }];
  });
}

const leadNotFound = (): HttpError => new HttpError(404, 'There is no lead with this id in the funnel (body.lead_id).');

/** Adds the handle to a 5xx error, so that the page can retry the update. */
function attachHandleToServerError(cause: unknown, handle: LeadHandle): unknown {
  const error = cause instanceof UnavailableError ? serviceUnavailable(cause) : cause;
  if (error instanceof HttpError && error.status < 500) return error;
  return attachLeadHandle(error instanceof HttpError ? error : internalError(error), handle, null);
}
