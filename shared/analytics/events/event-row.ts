import * as z from 'zod/mini';
import { withDocs } from '../../http/schema-docs.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../../platform/device.ts';

const text = (about: string) => withDocs(z.string(), about);
const id = (about: string) => withDocs(z.guid(), about);
/** The end of the year 9999, which is the last year with four digits. ISO 8601 writes later years differently. */
export const TIME_MS_MAX = 253_402_300_799_999;
const time = (about: string) => withDocs(z.int().check(z.minimum(0), z.maximum(TIME_MS_MAX)), about);
const integer = (about: string) => withDocs(z.nullable(z.int32()), about);
const dimension = (about: string) => withDocs(z.string().check(z.maxLength(2048)), about);

/**
 * An enriched event: one JSON line on the stream, one row in the raw event files. It has only texts, integers and
 * booleans, within bounds that all stores accept. The files have these columns in this order, after `session_key` (see
 * `toJsonLine`).
 */
export const EventRow = z.object({
  event_id: id('UUID that the page assigned to the event. Files can repeat an event.'),
  organization_id: id('Organization of the funnel.'),
  funnel_id: id('Funnel that the event belongs to.'),
  session_id: text('The page’s session id, unique within the funnel.'),
  received_ms: time('Time of arrival, milliseconds since the epoch.'),
  time_ms: time(
    'Milliseconds since the epoch. A time more than 5 minutes after the arrival is replaced by the arrival.',
  ),
  client_time_ms: time('Milliseconds since the epoch, as sent by the page.'),
  kind: text('view, start, step_view, step_submit, complete, or another kind from the payload; empty when absent.'),
  step_id: text('Step of the funnel; empty when absent.'),
  step_index: integer('Position of the step; null when absent.'),
  page_url: text('Address of the page; empty when absent.'),
  referrer_url: text('Address of the referring page as sent; empty when absent.'),
  referrer: dimension('Host of the referring page without www., or direct.'),
  language: text('Language of the page; empty when absent.'),
  utm_source: dimension('Empty when absent.'),
  utm_medium: dimension('Empty when absent.'),
  utm_campaign: dimension('Empty when absent.'),
  utm_term: dimension('Empty when absent.'),
  utm_content: dimension('Empty when absent.'),
  version: integer('Version number that the page sent; null when absent.'),
  device_type: withDocs(z.enum(DEVICE_TYPES), 'mobile, tablet or desktop.'),
  browser: withDocs(z.enum(BROWSERS), 'A value of the browser filter.'),
  os: withDocs(z.enum(OPERATING_SYSTEMS), 'A value of the operating system filter.'),
  bot: withDocs(z.boolean(), 'Whether a crawler or headless browser sent the event. Such events are not counted.'),
  payload: text('The free-form payload as JSON; empty when absent.'),
});
export type EventRow = z.output<typeof EventRow>;

/**
 * The JSON line of an event. The session key is written as digits, because 64 bits exceed JavaScript's safe integers.
 * Readers in JavaScript ignore these digits and compute the key from the ids of funnel and session.
 */
export const toJsonLine = (sessionKey: bigint, event: EventRow): string =>
  `{"session_key":${sessionKey},${JSON.stringify(event).slice(1)}\n`;
