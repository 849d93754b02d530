import type { TombstoneRepository } from '../ports.ts';
import { funnelIdFromPartitionKey, leadIdFromSortKey, listPendingKeys, sessionKeyFromSortKey } from './dynamo-keys.ts';

/** Separate from `dynamo-tombstones.ts`, to keep writes out of bundles that only read. */
export function createDynamoTombstoneReader(): Pick<TombstoneRepository, 'listAllSessions' | 'listAllLeads'> {
  return {
    listAllSessions: async () => {
      const keys = await listPendingKeys('erased');
      return keys.map(({ pk, sk, waitingSince: sinceMs }) => ({
        ...{ funnelId: funnelIdFromPartitionKey(pk), sessionKey: sessionKeyFromSortKey(sk), sinceMs },
      }));
    },
    listAllLeads: async () => {
      const keys = await listPendingKeys('erased-leads');
      return keys.map(({ pk, sk }) => ({ funnelId: funnelIdFromPartitionKey(pk), leadId: leadIdFromSortKey(sk) }));
    },
  };
}
