import { createIsbotFromList, list } from 'isbot';
import { classifyDevice } from '../../platform/classify-device.ts';
import type { Device } from '../../platform/device.ts';
import { memoize } from '../../platform/memoize.ts';
import { once } from '../../platform/once.ts';

export type ClientClass = Device & { bot: boolean };

const CACHE_ENTRIES_MAX = 1_000;
/** Longer than real headers. Bounds the time of the regular expressions. */
const USER_AGENT_CHARACTERS_MAX = 512;

/**
 * Classifies the client of a request. A bot is recognized by its User-Agent alone: a headless browser that imitates a
 * phone, as tests and monitors do, counts as that phone.
 *
 * @param headers by lower-case name
 */
export function classifyClient(headers: Record<string, string | undefined>): ClientClass {
  const userAgent = (headers['user-agent'] ?? '').slice(0, USER_AGENT_CHARACTERS_MAX);
  return { ...classifyDevice(headers), bot: cachedBots()(userAgent) };
}

const cachedBots = once(() => memoize(CACHE_ENTRIES_MAX, isBot));

/** Programs that send events on behalf of others, for example a server that relays events, or curl. */
const SENDER = /^(?:axios|curl|Go-http-client|GuzzleHttp|Java|node|okhttp|python-requests|Python-urllib|undici)\b/i;

/**
 * isbot also has patterns that match anything unlike a browser. These are removed, because an unknown client is not a
 * bot here; crawlers identify themselves.
 */
const UNKNOWN = ['unknown', 'Product/7', 'x'.repeat(100)];

const crawls = once(() =>
  createIsbotFromList(list.filter((pattern) => !UNKNOWN.some((agent) => new RegExp(pattern, 'i').test(agent)))),
);

function isBot(userAgent: string): boolean {
  return !SENDER.test(userAgent) && crawls()(userAgent);
}
