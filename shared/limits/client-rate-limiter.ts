import { type AddressSource, CDN_HEADERS, clientNetworkPrefixes } from '../http/client-address.ts';
import { HttpError } from '../http/errors.ts';
import type { Operation } from '../http/operation.ts';
import { tooManyRequests } from '../http/too-many-requests.ts';
import type { Clock } from '../platform/clock.ts';
import { consumeAll } from '../platform/consume-all.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { SecretStore } from '../platform/secret-store.ts';
import { type ClientPseudonyms, clientRateLimitPolicies, pseudonymize } from './client-pseudonym.ts';

/** Counts the calls of a public operation by the client's address, exactly; no address is kept. */
export type ClientRateLimiter = {
  /** The client's address in counters. @throws Problem 503 while the secrets can't be read */
  pseudonymOf(asking: AddressSource): Promise<ClientPseudonyms>;
  /** @throws Problem 429 above a limit; 503 when it can't be counted, as these limits guard money and people */
  check(declared: Operation, asking: AddressSource & { log: Logger }): Promise<void>;
};

type Ports = {
  limiter: RateLimiter;
  secrets: SecretStore;
  /** Ids of the secret that hashes are keyed with, and of the one that our CDN proves itself with. */
  secretIds: () => { hash: string; cdn: string };
  clock: Clock;
};

export function createClientRateLimiter({ limiter, secrets, secretIds, clock }: Ports): ClientRateLimiter {
  const keysOf = async (asking: AddressSource) => {
    const { hash, cdn } = secretIds();
    const claimsCdn = asking.headers[CDN_HEADERS.secret] !== undefined;
    const [secret, proof] = await Promise.all([
      readSecretOrUnavailable(secrets, hash),
      claimsCdn ? readSecretOrUnavailable(secrets, cdn) : undefined,
    ]);
    const { network, site } = clientNetworkPrefixes(asking, proof);
    return {
      network: pseudonymize(secret, clock, network),
      site: site === undefined ? undefined : pseudonymize(secret, clock, site),
    };
  };
  return {
    pseudonymOf: keysOf,
    check: async ({ id, limits }, asking) => {
      const keys = await keysOf(asking);
      const windows = (limits.perClient ?? []).flatMap((limit) => {
        const scope = `${id.replace('/', '-')}-${limit.windowSeconds}s`;
        return clientRateLimitPolicies(keys, { name: scope, ...limit, onOutage: 'deny' });
      });
      const { exceeded: refused } = await consumeAll(limiter, windows, asking.log);
      if (refused) throw tooManyRequests({ ...refused.policy, ...refused.result });
    },
  };
}

/** @throws Problem 503 while the secret can't be read */
export function readSecretOrUnavailable(secrets: SecretStore, id: string): Promise<string> {
  return secrets.read(id).catch((cause: unknown) => {
    throw new HttpError(503, 'The request cannot be checked. Try again shortly.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  });
}
