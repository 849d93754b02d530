import { createHmac } from 'node:crypto';
import { type AddressSource, CDN_HEADERS, clientNetworkPrefixes } from '../http/client-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { RateLimitPolicy } from '../platform/rate-limiter.ts';
import type { SecretStore } from '../platform/secret-store.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';

const DAY_MS = 86_400_000;
const PSEUDONYM_CHARACTERS = 22;

/**
 * Pseudonyms of a client's networks; they change every UTC day. `network`: its IPv4 address or its IPv6 /64. `site`:
 * its IPv6 /48; undefined with IPv4.
 */
export type ClientPseudonyms = {
  network: string;
  site: string | undefined;
};

export type ClientPseudonymizer = {
  /** @throws UnavailableError when the secrets can't be read */
  pseudonymsOf(source: AddressSource): Promise<ClientPseudonyms>;
};

type PseudonymizerOptions = {
  secrets: SecretStore;
  /** `hash`: id of the secret key of the hashes. `cdn`: id of the secret that our CDN sends. */
  secretIds: () => { hash: string; cdn: string };
  clock: Clock;
};

/**
 * Creates the pseudonymizer of clients. Rate limits count requests by pseudonym, so that no address is stored (ADR
 * 0016).
 */
export function createClientPseudonymizer({ secrets, secretIds, clock }: PseudonymizerOptions): ClientPseudonymizer {
  return {
    pseudonymsOf: async (source) => {
      const { hash, cdn } = secretIds();
      const claimsCdn = source.headers[CDN_HEADERS.secret] !== undefined;
      const [secret, cdnSecret] = await Promise.all([
        readSecretOrUnavailable(() => secrets.read(hash)),
        claimsCdn ? readSecretOrUnavailable(() => secrets.read(cdn)) : undefined,
      ]);
      const { network, site } = clientNetworkPrefixes(source, cdnSecret);
      return {
        network: pseudonymize(secret, clock, network),
        site: site === undefined ? undefined : pseudonymize(secret, clock, site),
      };
    },
  };
}

/**
 * Returns a keyed hash of an address. The hash changes with the UTC day, so that requests can't be linked across days.
 */
export function pseudonymize(secret: string, clock: Clock, address: string): string {
  const day = Math.floor(clock.now() / DAY_MS);
  return createHmac('sha256', secret)
    .update(JSON.stringify(['address', day, address]))
    .digest('base64url')
    .slice(0, PSEUDONYM_CHARACTERS);
}

/**
 * The limit of an IPv6 /48 is this many times the limit of a /64, because a /48 can belong to one customer of an
 * internet provider or to many.
 */
const SITE_FACTOR = 10;

/**
 * The policies that count a client's requests. For an IPv6 client, a second policy counts the requests of its /48,
 * because one client may own all 65,536 networks of the /48. This costs a second write per request.
 */
export function clientRateLimitPolicies(
  { network, site }: ClientPseudonyms,
  policy: Omit<RateLimitPolicy, 'partitionKey'>,
): RateLimitPolicy[] {
  const { name, limit } = policy;
  const ofNetwork = { ...policy, partitionKey: network };
  if (site === undefined) return [ofNetwork];
  return [ofNetwork, { ...policy, name: `${name}-site`, partitionKey: site, limit: SITE_FACTOR * limit }];
}
