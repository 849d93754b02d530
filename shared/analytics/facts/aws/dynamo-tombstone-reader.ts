import type { TombstoneRepository } from '../ports.ts';
import { funnelIdFromPartitionKey, leadIdFromSortKey, listPendingKeys, sessionKeyFromSortKey } from './dynamo-keys.ts';

/** A file of its own, so that the bundle of a function that only reads tombstones contains no code for writes. */
export function createDynamoTombstoneReader(): Pick<TombstoneRepository, 'listAllSessions' | 'listAllLeads'> {
  return {
    listAllSessions: async () => {
      const keys = await listPendingKeys('sessionTombstones');
      return keys.map(({ pk, sk, sinceMs }) => ({
        funnelId: funnelIdFromPartitionKey(pk),
        sessionKey: sessionKeyFromSortKey(sk),
        sinceMs,
      }));
    },
    listAllLeads: async () => {
      const keys = await listPendingKeys('leadTombstones');
      return keys.map(({ pk, sk }) => ({ funnelId: funnelIdFromPartitionKey(pk), leadId: leadIdFromSortKey(sk) }));
    },
  };
}
