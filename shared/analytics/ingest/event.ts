import * as z from 'zod/mini';
import { docText, documentedLike, withDocs } from '../../http/schema-docs.ts';
import { jsonObject, uuid } from '../../http/schemas.ts';

/** Maximum bytes of an event as compact JSON. */
export const EVENT_BYTES_MAX = 32 * 1024;
/** Maximum bytes of an event's payload as compact JSON. */
export const PAYLOAD_BYTES_MAX = 16 * 1024;
export const PAYLOAD_DEPTH_MAX = 16;

/**
 * A text of up to `max` code points. Null means absent: pages send the result of `URLSearchParams.get`, and it is null
 * for an absent parameter.
 */
const upTo = (max: number) =>
  z.nullish(
    withDocs(
      z
        .string()
        .check(
          z.refine((value) => value.length <= max || [...value].length <= max, `must have at most ${max} characters`),
        ),
      { maxLength: max },
    ),
  );

const wholeNumber = z.nullish(z.int32('must be an integer of 32 bits'));

/** One analytics event as a page sends it. Properties that are not listed here are ignored. */
export const AnalyticsEvent = withDocs(
  z.object({
    eventId: uuid,
    // 128 characters have at most 256 UTF-16 code units. A longer text is always too long, so the check reads only the
    // first 257 code units.
    sessionId: withDocs(
      z
        .string()
        .check(
          z.refine((value) => value !== '' && [...value.slice(0, 257)].length <= 128, 'must have 1 to 128 characters'),
        ),
      { minLength: 1, maxLength: 128 },
    ),
    funnelId: withDocs(z.nullish(uuid), docText('Must be the funnel id of the path. May be omitted.')),
    timestamp: withDocs(
      z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date and time with an offset or Z' }),
      docText(
        'A time more than 5 minutes after the arrival is replaced by the arrival. An event older than 30 days is',
        'rejected. Fractions of a millisecond are ignored.',
      ),
    ),
    pageUrl: upTo(2048),
    referrer: upTo(2048),
    language: upTo(2048),
    payload: withDocs(
      z.nullish(jsonObject()),
      docText(
        `Free-form JSON of at most ${PAYLOAD_BYTES_MAX} bytes and ${PAYLOAD_DEPTH_MAX} levels. \`type\` (else`,
        '`event`, else `name`) is the kind of the event: view, start, step_view, step_submit, complete, or',
        'any other text. A prefix `funnel_` is ignored: `funnel_start` is start.',
      ),
    ),
    stepId: upTo(2048),
    stepIndex: withDocs(wholeNumber, docText('An index of 1 or more means that the session has started.')),
    utmSource: upTo(255),
    utmMedium: upTo(255),
    utmCampaign: upTo(255),
    utmTerm: upTo(255),
    utmContent: upTo(255),
    version: wholeNumber,
  }),
  { id: 'AnalyticsEvent' },
);
export type AnalyticsEvent = z.output<typeof AnalyticsEvent>;

/**
 * An event before its validation. Events are validated one by one, so that an invalid event does not make the whole
 * batch invalid. The OpenAPI document shows `AnalyticsEvent` here.
 */
const SentEvent = withDocs(z.unknown(), documentedLike(AnalyticsEvent));

const BATCH_EVENTS = 'must have 1 to 500 elements';

export const EventBatch = z.object({
  events: z.array(SentEvent).check(z.minLength(1, BATCH_EVENTS), z.maxLength(500, BATCH_EVENTS)),
});
