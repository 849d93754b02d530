import Bowser from 'bowser';
import { createIsbotFromList, list } from 'isbot';
import { memoize } from '../../platform/memoize.ts';
import { once } from '../../platform/once.ts';
import type { Browser, DeviceType, OperatingSystem } from './dimensions.ts';

/** What a request's headers say of the device that sends events. */
export type ClientClass = { deviceType: DeviceType; browser: Browser; os: OperatingSystem; bot: boolean };

type Headers = Record<string, string | undefined>;

const CLASSES_REMEMBERED = 1_000;
/** Real ones are shorter; a longer one would only make the patterns slow. */
const HEADER_CHARACTERS_MAX = 512;

const BROWSER_NAMES: ReadonlyMap<string, Browser> = new Map([
  ['Chrome', 'chrome'],
  ['Chromium', 'chrome'],
  ['Firefox', 'firefox'],
  ['Safari', 'safari'],
  ['Microsoft Edge', 'edge'],
  ['Opera', 'opera'],
  ['Opera Touch', 'opera'],
  ['Opera Coast', 'opera'],
  ['Samsung Internet for Android', 'samsung'],
]);

const BRANDS: ReadonlyMap<string, Browser> = new Map([
  ['Google Chrome', 'chrome'],
  ['Microsoft Edge', 'edge'],
  ['Opera', 'opera'],
  ['OperaMobile', 'opera'],
  ['Opera GX', 'opera'],
  ['Samsung Internet', 'samsung'],
]);

const OS_NAMES: ReadonlyMap<string, OperatingSystem> = new Map([
  ['iOS', 'ios'],
  ['Android', 'android'],
  ['macOS', 'macos'],
  ['Windows', 'windows'],
  ['Windows Phone', 'windows'],
  ['Linux', 'linux'],
]);

/**
 * The class of a request's client, by User-Agent and client hints (a hint wins: browsers freeze their User-Agent).
 * What is not recognised is a desktop with an `other` browser and system, and no bot. A bot is known by its User-Agent
 * alone: a headless browser that was told to pass as a phone, as tests and monitors do, counts as that phone.
 *
 * @param headers by lower-cased name
 */
export function classifyClient(headers: Headers): ClientClass {
  const [userAgent, brands, mobile, platform] = [
    'user-agent',
    'sec-ch-ua',
    'sec-ch-ua-mobile',
    'sec-ch-ua-platform',
  ].map((name) => (headers[name] ?? '').slice(0, HEADER_CHARACTERS_MAX));
  return classes()([userAgent, brands, mobile, platform].join('\n'));
}

const classes = once(() => memoize(CLASSES_REMEMBERED, classOf));

function classOf(key: string): ClientClass {
  const [userAgent = '', brandList = '', mobile = '', platform = ''] = key.split('\n');
  const brands = [...brandList.matchAll(/"([^"]*)"\s*;\s*v="([^"]*)"/g)].map(([, brand = '', version = '']) => ({
    brand,
    version,
  }));
  const agent = Bowser.parse(unhidden(userAgent) || 'unknown', { brands });
  const os = OS_NAMES.get(platform.replaceAll('"', '')) ?? OS_NAMES.get(agent.os.name ?? '') ?? 'other';
  return {
    deviceType: mobile === '?1' ? 'mobile' : deviceTypeOf(agent.platform.type, os),
    browser: knownBrand(brands) ?? BROWSER_NAMES.get(agent.browser.name ?? '') ?? 'other',
    os,
    bot: isBot(userAgent),
  };
}

/** An iPad calls itself a Macintosh; inside apps it adds `Mobile/`, which no Macintosh does. */
const unhidden = (userAgent: string): string => userAgent.replace(/\(Macintosh;(?=.* Mobile\/)/, '(iPad; CPU OS like');

/** A phone's or tablet's system on what looks like a desktop is a tablet that asked for the desktop's page. */
function deviceTypeOf(platformType: string | undefined, os: OperatingSystem): DeviceType {
  if (platformType === 'mobile' || platformType === 'tablet') return platformType;
  return os === 'ios' || os === 'android' ? 'tablet' : 'desktop';
}

function knownBrand(brands: readonly { brand: string }[]): Browser | undefined {
  return brands.map(({ brand }) => BRANDS.get(brand)).find((known) => known !== undefined);
}

/** Programs that send events for somebody: a server that relays a page's events, curl in a terminal. */
const SENDER = /^(?:axios|curl|Go-http-client|GuzzleHttp|Java|node|okhttp|python-requests|Python-urllib|undici)\b/i;

/**
 * isbot also has patterns for whatever does not look like a browser. What is unknown is no bot here, so the patterns
 * that take these go; what crawls names itself.
 */
const UNKNOWN = ['unknown', 'Product/7', 'x'.repeat(100)];

const crawls = once(() =>
  createIsbotFromList(list.filter((pattern) => !UNKNOWN.some((agent) => new RegExp(pattern, 'i').test(agent)))),
);

const isBot = (userAgent: string): boolean => !SENDER.test(userAgent) && crawls()(userAgent);
