import type { ClientRateLimiter } from '../http/client-rate-limiter.ts';
import { tooManyRequests } from '../http/errors.ts';
import { consumeAll, type RateLimiter } from '../platform/rate-limiter.ts';
import { type ClientPseudonymizer, clientRateLimitPolicies } from './client-pseudonym.ts';

type Ports = { rateLimiter: RateLimiter; pseudonymizer: ClientPseudonymizer };

export function createClientRateLimiter({ rateLimiter, pseudonymizer }: Ports): ClientRateLimiter {
  return {
    check: async ({ id, limits }, source) => {
      const pseudonyms = await pseudonymizer.pseudonymsOf(source);
      const policies = (limits.perClient ?? []).flatMap((limit) => {
        const name = `${id.replace('/', '-')}-${limit.windowSeconds}s`;
        return clientRateLimitPolicies(pseudonyms, { name, ...limit, onOutage: 'deny' });
      });
      const { exceeded } = await consumeAll(rateLimiter, policies, source.log);
      if (exceeded) throw tooManyRequests({ ...exceeded.policy, ...exceeded.result });
    },
  };
}
