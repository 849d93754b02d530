import type { TombstoneRepository } from '../ports.ts';
import { funnelIdFromPartitionKey, leadIdFromSortKey, listPendingKeys, sessionKeyFromSortKey } from './dynamo-keys.ts';

/** A separate file keeps the code for writes out of the bundles of functions that only read tombstones. */
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
