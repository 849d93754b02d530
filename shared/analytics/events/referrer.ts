import { memoize } from '../../platform/memoize.ts';
import { normalizeText } from '../../platform/normalize-text.ts';

const CACHED_HOSTS_MAX = 1_000;

/** The referrer of an event if the referring page is unknown or has the same host as the funnel's page. */
const DIRECT = 'direct';

/** The referring page's hostname without `www.`, or `direct`. Either address may be empty. */
export function normalizeReferrer(referrerUrl: string, pageUrl: string): string {
  if (referrerUrl === '') return DIRECT;
  const host = referrerHostname(referrerUrl);
  return host === '' || host === referrerHostname(pageUrl) ? DIRECT : host;
}

/** The limits of a DNS name and of its labels (RFC 1035, 2.3.4). */
const HOST_CHARACTERS_MAX = 253;
const LABEL_CHARACTERS_MAX = 63;

/** A hostname at the start of an address without a scheme. */
const WITHOUT_SCHEME = /^([^\s/?#:@]{3,253})(?::\d+)?(?:[/?#]|$)/;
/** Scheme and authority of an address (RFC 3986, 3.2). The authority contains the hostname. */
const AUTHORITY = /^[a-z][a-z\d+.-]*:[/\\]*([^/\\?#]*)/i;
/** URL parsers ignore these characters anywhere in an address. */
const IGNORED = /[\t\n\r]/g;

/**
 * Returns an address's hostname without `www.`, or `''` if there is none. The scheme may be absent, because some apps
 * send only a hostname.
 */
export const referrerHostname = memoize(CACHED_HOSTS_MAX, (address) => {
  const written = address.trim().replace(IGNORED, '');
  const bare = WITHOUT_SCHEME.exec(written)?.[1];
  const complete = bare !== undefined && /.\../.test(bare) ? `http://${written}` : written;
  const [origin = '', authority = ''] = AUTHORITY.exec(complete) ?? [];
  if (!mayBeHost(authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, ''))) return '';
  const host = URL.parse(normalizeText(origin))?.hostname ?? '';
  return host.length > HOST_CHARACTERS_MAX ? '' : host.toLowerCase().replace(/^(?:www\.)+/, '');
});

/**
 * Whether a name is short enough for a hostname. Checked before parsing, because the parser encodes each label as
 * ASCII, which takes quadratic time.
 */
const mayBeHost = (name: string): boolean =>
  name.length <= HOST_CHARACTERS_MAX && name.split('.').every((label) => label.length <= LABEL_CHARACTERS_MAX);
