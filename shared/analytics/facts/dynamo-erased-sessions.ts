import { erasedKey, erasedLead, funnelOf, keysWaiting } from './dynamo-waiting.ts';
import type { Erasures } from './erasures.ts';

/** By itself, so that the bundle of a function that only looks carries nothing that writes. */
export function dynamoErasedSessions(): Pick<Erasures, 'all' | 'leads'> {
  return {
    all: async () => {
      const keys = await keysWaiting('erased');
      return keys.map(({ pk, sk, waitingSince: sinceMs }) => ({
        ...{ funnelId: funnelOf(pk), sessionKey: erasedKey(sk), sinceMs },
      }));
    },
    leads: async () => {
      const keys = await keysWaiting('erased-leads');
      return keys.map(({ pk, sk }) => ({ funnelId: funnelOf(pk), leadId: erasedLead(sk) }));
    },
  };
}
