import Bowser from 'bowser';
import type { Browser, Device, DeviceType, OperatingSystem } from './device.ts';
import { memoize } from './memoize.ts';
import { once } from './once.ts';

type Headers = Record<string, string | undefined>;

const CACHE_ENTRIES_MAX = 1_000;
/** Longer than real headers. Bounds the time of the regular expressions. */
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
 * Classifies the device of a request by User-Agent and client hints. Client hints have priority, because browsers
 * freeze their User-Agent. An unknown device is classified as a desktop with an `other` browser and operating system.
 *
 * @param headers header values by lower-case name
 */
export function classifyDevice(headers: Headers): Device {
  const names = ['user-agent', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform'];
  return cachedDevices()(names.map((name) => (headers[name] ?? '').slice(0, HEADER_CHARACTERS_MAX)).join('\n'));
}

const cachedDevices = once(() => memoize(CACHE_ENTRIES_MAX, parseDevice));

function parseDevice(headerLines: string): Device {
  const [userAgent = '', brandList = '', mobile = '', platform = ''] = headerLines.split('\n');
  const brands = [...brandList.matchAll(/"([^"]*)"\s*;\s*v="([^"]*)"/g)].map(([, brand = '', version = '']) => ({
    brand,
    version,
  }));
  const agent = Bowser.parse(revealIpad(userAgent) || 'unknown', { brands });
  const os = OS_NAMES.get(platform.replaceAll('"', '')) ?? OS_NAMES.get(agent.os.name ?? '') ?? 'other';
  return {
    deviceType: mobile === '?1' ? 'mobile' : toDeviceType(agent.platform.type, os),
    browser: findBrand(brands) ?? BROWSER_NAMES.get(agent.browser.name ?? '') ?? 'other',
    os,
  };
}

/**
 * The User-Agent of an iPad names a Macintosh. In apps on an iPad, it also contains `Mobile/`, which a Macintosh never
 * sends. In this case, replaces the Macintosh in the User-Agent by an iPad.
 */
const revealIpad = (userAgent: string): string =>
  userAgent.replace(/\(Macintosh;(?=.* Mobile\/)/, '(iPad; CPU OS like');

/** A tablet can request the desktop site. Its platform is then `desktop`, but its operating system is a mobile one. */
function toDeviceType(platformType: string | undefined, os: OperatingSystem): DeviceType {
  if (platformType === 'mobile' || platformType === 'tablet') return platformType;
  return os === 'ios' || os === 'android' ? 'tablet' : 'desktop';
}

const findBrand = (brands: readonly { brand: string }[]): Browser | undefined =>
  brands.map(({ brand }) => BRANDS.get(brand)).find((known) => known !== undefined);
