import { createIsbotFromList, list } from 'isbot';
import { classifyDevice } from '../../platform/classify-device.ts';
import type { Device } from '../../platform/device.ts';
import { memoize } from '../../platform/memoize.ts';
import { once } from '../../platform/once.ts';

export type ClientClass = Device & { bot: boolean };

const CACHE_ENTRIES_MAX = 1_000;
/** Limits the time that the regular expressions take. Real headers are shorter. */
const USER_AGENT_CHARACTERS_MAX = 512;

/**
 * Classifies the client of a request. Only the User-Agent decides whether the client is a bot. Tests and monitors that
 * send the User-Agent of a phone are classified as that phone.
 *
 * @param headers by lower-case name
 */
export function classifyClient(headers: Record<string, string | undefined>): ClientClass {
  const userAgent = (headers['user-agent'] ?? '').slice(0, USER_AGENT_CHARACTERS_MAX);
  return { ...classifyDevice(headers), bot: cachedBots()(userAgent) };
}

const cachedBots = once(() => memoize(CACHE_ENTRIES_MAX, isBot));

/**
 * Programs that servers use to relay events of their visitors. These programs are not classified as bots, so that the
 * events of the visitors are counted.
 */
const SENDER = /^(?:axios|curl|Go-http-client|GuzzleHttp|Java|node|okhttp|python-requests|Python-urllib|undici)\b/i;

/**
 * Examples of the User-Agents of unknown clients. Unknown clients are not classified as bots, because crawlers identify
 * themselves. Some patterns of the library isbot match everything that does not look like a browser. They match one of
 * these examples, and are not used.
 */
const UNKNOWN = ['unknown', 'Product/7', 'x'.repeat(100)];

const crawls = once(() =>
  createIsbotFromList(list.filter((pattern) => !UNKNOWN.some((agent) => new RegExp(pattern, 'i').test(agent)))),
);

function isBot(userAgent: string): boolean {
  return !SENDER.test(userAgent) && crawls()(userAgent);
}
