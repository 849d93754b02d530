import { type AddressKeys, addressKey, addressWindows } from '../limits/address-key.ts';
import type { Limiter } from '../limits/limiter.ts';
import { takeAll } from '../limits/take-all.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type Asking, CDN_HEADERS, clientAddress } from './client-address.ts';
import type { Operation } from './operation.ts';
import { Problem } from './problem.ts';
import { rateLimited } from './rate-limited.ts';

/** Counts the calls of a public operation by the client's address, exactly; no address is kept. */
export type AddressGate = {
  /** The client's address in counters. @throws Problem 503 while the secrets can't be read */
  keysOf(asking: Asking): Promise<AddressKeys>;
  /** @throws Problem 429 above a limit; 503 when it can't be counted, as these limits guard money and people */
  admit(declared: Operation, asking: Asking & { log: Log }): Promise<void>;
};

type Ports = {
  limiter: Limiter;
  secrets: Secrets;
  /** Ids of the secret that hashes are keyed with, and of the one that our CDN proves itself with. */
  secretIds: () => { hash: string; cdn: string };
  clock: Clock;
};

export function addressGate({ limiter, secrets, secretIds, clock }: Ports): AddressGate {
  const keysOf = async (asking: Asking) => {
    const { hash, cdn } = secretIds();
    const claimsCdn = asking.headers[CDN_HEADERS.proof] !== undefined;
    const [secret, proof] = await Promise.all([
      readSecret(secrets, hash),
      claimsCdn ? readSecret(secrets, cdn) : undefined,
    ]);
    const { network, site } = clientAddress(asking, proof);
    return {
      network: addressKey(secret, clock, network),
      site: site === undefined ? undefined : addressKey(secret, clock, site),
    };
  };
  return {
    keysOf,
    admit: async ({ id, limits }, asking) => {
      const keys = await keysOf(asking);
      const windows = (limits.perAddress ?? []).flatMap((limit) => {
        const scope = `${id.replace('/', '-')}-${limit.windowSeconds}s`;
        return addressWindows(keys, { scope, ...limit, unreachable: 'refuse' });
      });
      const { refused } = await takeAll(limiter, windows, asking.log);
      if (refused) throw rateLimited({ ...refused.window, ...refused.taken });
    },
  };
}

/** @throws Problem 503 while the secret can't be read */
export function readSecret(secrets: Secrets, id: string): Promise<string> {
  return secrets.read(id).catch((cause: unknown) => {
    throw new Problem(503, 'The request cannot be checked. Try again shortly.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  });
}
