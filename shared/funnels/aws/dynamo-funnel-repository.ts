import {
  createReferenceCache,
  REFERENCE_CACHE_ENTRIES_MAX,
  readItem,
  readParsedItem,
} from '../../platform/aws/table-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import { Funnel, FunnelVersion } from '../funnel.ts';
import type { FunnelOwnershipRepository, FunnelRepository } from '../ports.ts';
import { funnelKey, organizationFunnelKey, versionKey } from './keys.ts';

/** Longer than the life of any Lambda environment. */
const NO_EXPIRY_MS = 1e15;

/** The methods throw an UnavailableError while the directory table is unavailable. */
export function createDynamoFunnelRepository(clock: Clock = systemClock): FunnelRepository {
  const funnels = createReferenceCache<Funnel>(clock);
  const versions = createTtlCache<FunnelVersion>({
    clock,
    ttlMs: NO_EXPIRY_MS,
    entriesMax: REFERENCE_CACHE_ENTRIES_MAX,
  });
  return {
    find: (funnelId) => funnels(funnelId, () => readParsedItem(Funnel, funnelKey(funnelId))),
    // The read is strongly consistent. Otherwise the funnel could be visible before its version, although the version
    // was written first.
    findVersion: ({ id, publishedVersionId }, versionId = publishedVersionId ?? '') =>
      versions(`${id}/${versionId}`, async () => {
        const version = await readParsedItem(FunnelVersion, versionKey(id, versionId), true);
        return version?.isCandidate && versionId !== publishedVersionId ? undefined : version;
      }),
  };
}

/**
 * If `find` returns a funnel, it may come from the cache. If `find` returns undefined, the funnel does not exist,
 * because this result is not cached and the table is read strongly consistently.
 *
 * @throws UnavailableError while the directory table is unavailable
 */
export function createConsistentFunnelReader(clock: Clock = systemClock): Pick<FunnelRepository, 'find'> {
  const funnels = createReferenceCache<Funnel>(clock);
  return { find: (funnelId) => funnels(funnelId, () => readParsedItem(Funnel, funnelKey(funnelId), true)) };
}

export function createDynamoFunnelOwnershipRepository(): FunnelOwnershipRepository {
  const owned = createReferenceCache<true>(systemClock);
  return {
    ownsFunnel: async (orgId, funnelId) => {
      const isOwned = await owned(`${orgId}/${funnelId}`, async () =>
        (await readItem(organizationFunnelKey(orgId, funnelId))) === undefined ? undefined : true,
      );
      return isOwned ?? false;
    },
  };
}
