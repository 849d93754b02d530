import type { HttpErrorCode } from '../../http/errors.ts';
import { isNestedDeeperThan } from '../../http/json-sanitizing.ts';
import { formatIssues } from '../../http/middleware/request-validation.ts';
import { propertyNames, warnAboutMisspellings } from '../../http/misspellings.ts';
import { normalizeDimension } from '../events/dimensions.ts';
import { type EventRow, TIME_MS_MAX, toJsonLine } from '../events/event-row.ts';
import { normalizeReferrer } from '../events/referrer.ts';
import { sessionKey } from '../events/session-key.ts';
import type { ClientClass } from './client-class.ts';
import { AnalyticsEvent, EVENT_BYTES_MAX, PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX } from './event.ts';

const AHEAD_MS_MAX = 5 * 60_000;
const AGE_MS_MAX = 30 * 86_400_000;
const KIND_CHARACTERS_MAX = 128;

/** What all events of a batch share. */
export type ArrivalContext = { funnelId: string; organizationId: string; atMs: number; client: ClientClass };

/** A rejected event, identified by its index in the batch. The message names the invalid part of the event. */
export type Rejection = { index: number; code: HttpErrorCode; message: string };

type Validated = { line: string } | { validationError: string };

/** Validates and enriches the events of a batch. @returns the valid events as JSON lines, and the rejected ones */
export function validateAndEnrichEvents(
  events: readonly unknown[],
  arrival: ArrivalContext,
): { lines: string[]; rejected: Rejection[] } {
  const lines: string[] = [];
  const rejected: Rejection[] = [];
  events.forEach((event, index) => {
    const validated = validateAndEnrich(event, arrival, `events[${index}]`);
    if ('line' in validated) lines.push(validated.line);
    else rejected.push({ index, code: 'validation_failed', message: validated.validationError });
  });
  return { lines, rejected };
}

const EVENT_PROPERTIES = Object.keys(AnalyticsEvent.shape);
/**
 * Only this number of events at the start of a batch is checked for misspelled property names. A page uses the same
 * names in all its events.
 */
const EVENTS_COMPARED_MAX = 10;

export function warnAboutMisspelledProperties(warnings: Set<string>, events: readonly unknown[]): void {
  for (const [index, event] of events.slice(0, EVENTS_COMPARED_MAX).entries())
    warnAboutMisspellings(warnings, propertyNames(event), EVENT_PROPERTIES, `events[${index}]`);
}

function validateAndEnrich(raw: unknown, arrival: ArrivalContext, path: string): Validated {
  const parsed = AnalyticsEvent.safeParse(raw);
  if (!parsed.success) return { validationError: formatIssues(parsed.error.issues, path) };
  const event = parsed.data;
  const clientTimeMs = Date.parse(event.timestamp);
  const payload = event.payload ? JSON.stringify(event.payload) : '';
  const invalid = (field: string, rule: string) => ({ validationError: `${path}${field} ${rule}.` });
  if ((event.funnelId ?? arrival.funnelId) !== arrival.funnelId)
    return invalid('.funnelId', 'must be the funnel id of the path');
  if (clientTimeMs < arrival.atMs - AGE_MS_MAX) return invalid('.timestamp', 'must not be older than 30 days');
  if (clientTimeMs > TIME_MS_MAX) return invalid('.timestamp', 'must not be after the year 9999');
  if (bytesOver(payload, PAYLOAD_BYTES_MAX)) return invalid('.payload', `must have at most ${PAYLOAD_BYTES_MAX} bytes`);
  if (isNestedDeeperThan(event.payload, PAYLOAD_DEPTH_MAX))
    return invalid('.payload', `must have at most ${PAYLOAD_DEPTH_MAX} levels of nesting`);
  if (bytesOver(JSON.stringify(raw), EVENT_BYTES_MAX)) return invalid('', `must have at most ${EVENT_BYTES_MAX} bytes`);
  const row = rowOf(event, { clientTimeMs, payload }, arrival);
  if (row.session_id === '') return invalid('.sessionId', 'must not be empty');
  // The key is computed from the session id of the row, not from the session id that was sent. The same key can then be
  // computed again from the stored row.
  return { line: toJsonLine(sessionKey(row.funnel_id, row.session_id), row) };
}

/**
 * Whether a text has more than `max` bytes. Counting bytes is slow, so a short text is not counted: each UTF-16 code
 * unit takes at most 3 bytes in UTF-8.
 */
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
 * Replaces lone surrogates, which UTF-8 cannot encode, and removes leading byte order marks, which UTF-8 decoders drop.
 * Every store then returns the text as it was stored.
 */
const text = (value: string | null | undefined): string => (value ?? '').toWellFormed().replace(/^\ufeff+/, '');

/**
 * The first non-empty text of `type`, `event` and `name`; `''` if there is none. A prefix `funnel_` is removed, because
 * some pages send `funnel_start` instead of `start`.
 */
function kindOf(payload: AnalyticsEvent['payload']): string {
  const kind = [payload?.type, payload?.event, payload?.name].find((name) => typeof name === 'string' && name !== '');
  return typeof kind === 'string' ? text(kind.replace(/^funnel_/, '').slice(0, KIND_CHARACTERS_MAX)) : '';
}
