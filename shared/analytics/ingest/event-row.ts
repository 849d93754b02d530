import * as z from 'zod/mini';
import { withDocs } from '../../http/schema-docs.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../../platform/device.ts';

const text = (about: string) => withDocs(z.string(), about);
const id = (about: string) => withDocs(z.guid(), about);
/** The end of the year 9999, the last that ISO 8601 writes with four digits. */
export const TIME_MS_MAX = 253_402_300_799_999;
const time = (about: string) => withDocs(z.int().check(z.minimum(0), z.maximum(TIME_MS_MAX)), about);
const integer = (about: string) => withDocs(z.nullable(z.int32()), about);
const dimension = (about: string) => withDocs(z.string().check(z.maxLength(2048)), about);

/**
 * An event as it stands on the stream, one JSON object in a line, and later in the lake: only texts, integers and
 * booleans, so that every reader of rows takes it as it is, within bounds that every store of facts takes. Declared
 * here once for whoever writes, reads or describes these rows; `session_key` goes before these columns (see `lineOf`).
 */
export const EventRow = z.object({
  event_id: id('UUID that the page gave the event; the same event may stand in several rows.'),
  organization_id: id('Organization of the funnel.'),
  funnel_id: id('Funnel that the event belongs to.'),
  session_id: text('The page’s session id, unique within the funnel.'),
  received_ms: time('Arrival: milliseconds since the epoch.'),
  time_ms: time('Milliseconds since the epoch; what lies more than 5 minutes ahead of the arrival is the arrival.'),
  client_time_ms: time('Milliseconds since the epoch, as the page said.'),
  kind: text(
    'view, start, step_view, step_submit, complete, or what else the payload says; empty when it says nothing.',
  ),
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
  bot: withDocs(z.boolean(), 'Whether a crawler or headless browser sent it: such events count nowhere.'),
  payload: text('The free-form payload as JSON; empty when absent.'),
});
export type EventRow = z.output<typeof EventRow>;

/**
 * The line of an event. The session's key has 64 bits, more than a JSON number keeps in JavaScript: it is written digit
 * by digit here, and whoever reads lines in JavaScript derives it again from funnel and session.
 */
export const toJsonLine = (sessionKey: bigint, event: EventRow): string =>
  `{"session_key":${sessionKey},${JSON.stringify(event).slice(1)}\n`;
