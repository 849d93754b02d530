import { tidy } from '../../http/tidy.ts';
import { remember } from '../../platform/remember.ts';

const HOSTS_REMEMBERED = 1_000;

/** A visit without a referring page, or from a page of the same host. */
const DIRECT = 'direct';

/** Where a visit comes from: the referring page's host without `www.`, or `direct`. Both addresses may be empty. */
export function referrerOf(referrerUrl: string, pageUrl: string): string {
  if (referrerUrl === '') return DIRECT;
  const host = hostOf(referrerUrl);
  return host === '' || host === hostOf(pageUrl) ? DIRECT : host;
}

/** The most that a name in the DNS can have (RFC 1035, 2.3.4); what is longer is none. */
const HOST_CHARACTERS_MAX = 253;

/** A name with a dot in it and what may stand behind a name: what has another form is no host that lacks its scheme. */
const WITHOUT_SCHEME = /^[^\s/?#:@]{1,253}\.[^\s/?#:@]{1,253}(?::\d+)?(?:[/?#]|$)/;

/** The host of an address, `''` when it has none; apps name themselves without a scheme at times. */
export const hostOf = remember(HOSTS_REMEMBERED, (address) => {
  const written = tidy(address);
  const complete = WITHOUT_SCHEME.test(written) ? `http://${written}` : written;
  const host = URL.parse(complete)?.hostname ?? '';
  return host.length > HOST_CHARACTERS_MAX ? '' : host.toLowerCase().replace(/^(?:www\.)+/, '');
});
