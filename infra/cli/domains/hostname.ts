import { domainToASCII } from 'node:url';

/** Its TXT record `_tributary.<hostname>` has a name of at most 253 characters too. */
const LENGTH_MAX = 253 - '_tributary.'.length;

/** What a browser would take away or read as something else: ports, paths, wildcards, escapes, invisible characters. */
const WRITTEN = /^[\p{L}\p{M}\p{N}\-.。．｡]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A host whose last label is a number is an IPv4 address to a browser. */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;

/** Names that nobody owns on the internet, and those of the service and of what it stands on. */
const RESERVED = [
  ...['localhost', 'local', 'localdomain', 'internal', 'invalid', 'onion', 'arpa', 'alt'],
  ...['cloudfront.net', 'amazonaws.com', 'amazonaws.com.cn', 'amazoncognito.com', 'tributary.example'],
];

/**
 * A hostname as it is kept: lower case, A-labels, without a trailing dot.
 *
 * @throws Error with a sentence for what can't be an organization's hostname
 */
export function parseHostname(given: string): string {
  const written = given.trim().normalize('NFC');
  if (written.includes('*')) throw refused('holds a wildcard: each hostname is added by itself');
  if (!WRITTEN.test(written))
    throw refused('is no hostname: give it without scheme, port and path, as shop.example.com');
  const hostname = domainToASCII(written).replace(/\.$/, '');
  const labels = hostname.split('.');
  if (NUMBER.test(labels.at(-1) ?? '')) throw refused('is an IP address or ends as one');
  if (hostname.length > LENGTH_MAX) throw refused(`has more than ${LENGTH_MAX} characters`);
  if (!labels.every((label) => LABEL.test(label))) throw refused('is no hostname that DNS could hold');
  if (labels.length < 2) throw refused('has only one part: give it in full, as shop.example.com');
  const own = RESERVED.find((name) => hostname === name || hostname.endsWith(`.${name}`));
  if (own !== undefined) throw refused(`belongs to ${own}, which is reserved`);
  return hostname;
}

const refused = (why: string) => new Error(`The hostname ${why}.`);
