import { domainToASCII } from 'node:url';

/** Maximum length of a hostname, so that the name of its TXT record has at most 253 characters, the limit of DNS. */
const LENGTH_MAX = 253 - '_tributary.'.length;

/** Matches the allowed characters. Browsers remove or interpret other characters, such as `:`, `/` and `%`. */
const WRITTEN = /^[\p{L}\p{M}\p{N}\-.。．｡]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Matches a last label that is a number. Browsers treat a host with such a label as an IPv4 address. */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;

/** Reserved names of the internet, of the service and of its infrastructure. Their subdomains are also reserved. */
const RESERVED = [
  ...['localhost', 'local', 'localdomain', 'internal', 'invalid', 'onion', 'arpa', 'alt'],
  ...['cloudfront.net', 'amazonaws.com', 'amazonaws.com.cn', 'amazoncognito.com', 'tributary.example'],
];

/**
 * Normalizes a hostname to lower case and A-labels (Punycode), without a trailing dot.
 *
 * @throws Error with a message if an organization can't use the hostname
 */
export function parseHostname(given: string): string {
  const written = given.trim().normalize('NFC');
  if (written.includes('*')) throw refused('contains a wildcard: add each hostname separately');
  if (!WRITTEN.test(written))
    throw refused('is not valid: give it without scheme, port and path, such as shop.example.com');
  const hostname = domainToASCII(written).replace(/\.$/, '');
  const labels = hostname.split('.');
  if (NUMBER.test(labels.at(-1) ?? '')) throw refused('is an IP address: give a name such as shop.example.com');
  if (hostname.length > LENGTH_MAX) throw refused(`has more than ${LENGTH_MAX} characters`);
  if (!labels.every((label) => LABEL.test(label)))
    throw refused(
      'is not valid in DNS: each part needs 1 to 63 letters, digits or hyphens, with no hyphen at its ends',
    );
  if (labels.length < 2) throw refused('has only one part: give the full name, such as shop.example.com');
  const own = RESERVED.find((name) => hostname === name || hostname.endsWith(`.${name}`));
  if (own !== undefined) throw refused(`belongs to ${own}, which is reserved: give another hostname`);
  return hostname;
}

const refused = (why: string) => new Error(`The hostname ${why}.`);
