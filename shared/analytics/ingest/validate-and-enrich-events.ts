import type { HttpErrorCode } from '../../http/errors.ts';
import { isNestedDeeperThan } from '../../http/json-sanitizing.ts';
import { formatIssues } from '../../http/middleware/request-validation.ts';
import { memberNames, warnAboutMisspellings } from '../../http/misspellings.ts';
import type { ClientClass } from './client-class.ts';
import { normalizeDimension } from './dimensions.ts';
import { AnalyticsEvent, EVENT_BYTES_MAX, PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX } from './event.ts';
import { type EventRow, TIME_MS_MAX, toJsonLine } from './event-row.ts';
import { normalizeReferrer } from './referrer.ts';
import { sessionKey } from './session-key.ts';

const AHEAD_MS_MAX = 5 * 60_000;
const AGE_MS_MAX = 30 * 86_400_000;
const KIND_CHARACTERS_MAX = 128;

/** What holds for every event of a batch. */
export type ArrivalContext = { funnelId: string; organizationId: string; atMs: number; client: ClientClass };

/** An event that was not accepted: its place in the batch, and a message that names the field. */
export type Rejection = { index: number; code: HttpErrorCode; message: string };

type Accepted = { line: string } | { fault: string };

/** Checks and enriches the events of a batch: the lines of the good ones, and why each of the others is none. */
export function validateAndEnrichEvents(
  events: readonly unknown[],
  arrival: ArrivalContext,
): { lines: string[]; rejected: Rejection[] } {
  const lines: string[] = [];
  const rejected: Rejection[] = [];
  events.forEach((event, index) => {
    const accepted = accept(event, arrival, `events[${index}]`);
    if ('line' in accepted) lines.push(accepted.line);
    else rejected.push({ index, code: 'validation_failed', message: accepted.fault });
  });
  return { lines, rejected };
}

const EVENT_MEMBERS = Object.keys(AnalyticsEvent.shape);
/** A page spells all of its events alike. */
const EVENTS_COMPARED_MAX = 10;

/** Warns of members of the first events that are declared ones in another spelling. */
export function warnOfEventSpelling(warnings: Set<string>, events: readonly unknown[]): void {
  for (const [index, event] of events.slice(0, EVENTS_COMPARED_MAX).entries())
    warnAboutMisspellings(warnings, memberNames(event), EVENT_MEMBERS, `events[${index}]`);
}

function accept(raw: unknown, arrival: ArrivalContext, path: string): Accepted {
  const parsed = AnalyticsEvent.safeParse(raw);
  if (!parsed.success) return { fault: formatIssues(parsed.error.issues, path) };
  const event = parsed.data;
  const clientTimeMs = Date.parse(event.timestamp);
  const payload = event.payload ? JSON.stringify(event.payload) : '';
  const fault = (field: string, what: string) => ({ fault: `${path}${field} ${what}.` });
  if ((event.funnelId ?? arrival.funnelId) !== arrival.funnelId)
    return fault('.funnelId', 'must be the funnel of the path');
  if (clientTimeMs < arrival.atMs - AGE_MS_MAX) return fault('.timestamp', 'must not be older than 30 days');
  if (clientTimeMs > TIME_MS_MAX) return fault('.timestamp', 'must not be after the year 9999');
  if (bytesOver(payload, PAYLOAD_BYTES_MAX)) return fault('.payload', `must have at most ${PAYLOAD_BYTES_MAX} bytes`);
  if (isNestedDeeperThan(event.payload, PAYLOAD_DEPTH_MAX))
    return fault('.payload', `must have at most ${PAYLOAD_DEPTH_MAX} levels of nesting`);
  if (bytesOver(JSON.stringify(raw), EVENT_BYTES_MAX)) return fault('', `must have at most ${EVENT_BYTES_MAX} bytes`);
  const row = rowOf(event, { clientTimeMs, payload }, arrival);
  if (row.session_id === '') return fault('.sessionId', 'must not be blank');
  // Of what is stored, not of what was sent: whoever reads the row derives the same key.
  return { line: toJsonLine(sessionKey(row.funnel_id, row.session_id), row) };
}

const bytesOver = (text: string, max: number): boolean => text.length * 3 > max && Buffer.byteLength(text) > max;

function rowOf(
  event: AnalyticsEvent,
  read: { clientTimeMs: number; payload: string },
  arrival: ArrivalContext,
): EventRow {
  const { client } = arrival;
  return {
    event_id: event.eventId,
    organization_id: arrival.organizationId,
    funnel_id: arrival.funnelId,
    session_id: text(event.sessionId),
    received_ms: arrival.atMs,
    time_ms: read.clientTimeMs > arrival.atMs + AHEAD_MS_MAX ? arrival.atMs : read.clientTimeMs,
    client_time_ms: read.clientTimeMs,
    kind: kindOf(event.payload),
    step_id: normalizeDimension(event.stepId ?? ''),
    step_index: event.stepIndex ?? null,
    page_url: text(event.pageUrl),
    referrer_url: text(event.referrer),
    referrer: normalizeReferrer(event.referrer ?? '', event.pageUrl ?? ''),
    language: text(event.language),
    utm_source: normalizeDimension(event.utmSource ?? ''),
    utm_medium: normalizeDimension(event.utmMedium ?? ''),
    utm_campaign: normalizeDimension(event.utmCampaign ?? ''),
    utm_term: normalizeDimension(event.utmTerm ?? ''),
    utm_content: normalizeDimension(event.utmContent ?? ''),
    version: event.version ?? null,
    device_type: client.deviceType,
    browser: client.browser,
    os: client.os,
    bot: client.bot,
    payload: read.payload,
  };
}

/**
 * Text that every store gives back as it was: half a surrogate pair has no UTF-8, and decoders of UTF-8 drop a byte
 * order mark before a text.
 */
const text = (value: string | null | undefined): string => (value ?? '').toWellFormed().replace(/^\ufeff+/, '');

/** What the payload says that happened: the first of three names that says anything, without the prefix some pages use. */
function kindOf(payload: AnalyticsEvent['payload']): string {
  const said = [payload?.type, payload?.event, payload?.name].find((name) => typeof name === 'string' && name !== '');
  return typeof said === 'string' ? text(said.replace(/^funnel_/, '').slice(0, KIND_CHARACTERS_MAX)) : '';
}
