import { type Clock, systemClock } from '../platform/clock.ts';
import { timedCache } from '../platform/timed-cache.ts';
import * as key from './directory-keys.ts';
import { ENTRIES_MAX, POINTER_MS, readRecordAs } from './directory-table.ts';
import { Funnel, type Funnels, FunnelVersion } from './funnel.ts';

/** Longer than any function lives. */
const FOR_EVER_MS = 1e15;

/** Funnels in the directory table. @throws Problem 503 while it is not available */
export function dynamoFunnels(clock: Clock = systemClock): Funnels {
  const funnels = timedCache<Funnel>({ clock, ttlMs: POINTER_MS, entriesMax: ENTRIES_MAX });
  const versions = timedCache<FunnelVersion>({ clock, ttlMs: FOR_EVER_MS, entriesMax: ENTRIES_MAX });
  return {
    find: (funnelId) => funnels(funnelId, () => readRecordAs(Funnel, key.funnel(funnelId))),
    // Strongly consistent: a pointer may be seen before the version that was written first. It is read once.
    version: ({ id, publishedVersionId }, versionId = publishedVersionId ?? '') =>
      versions(`${id}/${versionId}`, async () => {
        const version = await readRecordAs(FunnelVersion, key.version(id, versionId), true);
        return version?.isCandidate && versionId !== publishedVersionId ? undefined : version;
      }),
  };
}
