import * as key from '../../platform/aws/directory-keys.ts';
import {
  REFERENCE_CACHE_ENTRIES_MAX,
  REFERENCE_CACHE_TTL_MS,
  readParsedItem,
} from '../../platform/aws/table-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import { Funnel, type FunnelRepository, FunnelVersion } from '../funnel.ts';

/** Longer than any function lives. */
const FOR_EVER_MS = 1e15;

/** Funnels in the directory table. @throws Problem 503 while it is not available */
export function createDynamoFunnelRepository(clock: Clock = systemClock): FunnelRepository {
  const funnels = createTtlCache<Funnel>({
    clock,
    ttlMs: REFERENCE_CACHE_TTL_MS,
    entriesMax: REFERENCE_CACHE_ENTRIES_MAX,
  });
  const versions = createTtlCache<FunnelVersion>({
    clock,
    ttlMs: FOR_EVER_MS,
    entriesMax: REFERENCE_CACHE_ENTRIES_MAX,
  });
  return {
    find: (funnelId) => funnels(funnelId, () => readParsedItem(Funnel, key.funnel(funnelId))),
    // Strongly consistent: a pointer may be seen before the version that was written first. It is read once.
    findVersion: ({ id, publishedVersionId }, versionId = publishedVersionId ?? '') =>
      versions(`${id}/${versionId}`, async () => {
        const version = await readParsedItem(FunnelVersion, key.version(id, versionId), true);
        return version?.isCandidate && versionId !== publishedVersionId ? undefined : version;
      }),
  };
}
