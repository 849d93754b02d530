import { erasedKey, funnelOf, keysWaiting } from './dynamo-waiting.ts';
import type { Erasures } from './erasures.ts';

/** By itself, so that the bundle of a function that only looks carries nothing that writes. */
export function dynamoErasedSessions(): Pick<Erasures, 'all'> {
  return {
    all: async () => {
      const keys = await keysWaiting('erased');
      return keys.map(({ pk, sk, waitingSince: sinceMs }) => ({
        ...{ funnelId: funnelOf(pk), sessionKey: erasedKey(sk), sinceMs },
      }));
    },
  };
}
