import { FACTS_PREFIX, factObjectKey } from '../../../shared/analytics/facts/fact-files.ts';
import {
  fileCreatedMs,
  isBase,
  isLevel1,
  type ListedFile,
  latestCompleteUntilMs,
} from '../../../shared/analytics/facts/manifest.ts';
import type {
  FreshFactRepository,
  ManifestRepository,
  TombstoneRepository,
} from '../../../shared/analytics/facts/ports.ts';
import { DEAD_LETTER_PREFIX } from '../../../shared/analytics/ingest/dead-letters.ts';
import { EVENT_ERRORS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import type { ObjectStore } from '../../../shared/platform/object-store.ts';

export type AnalyticsStatusPorts = {
  fresh: Pick<FreshFactRepository, 'listPendingFunnels'>;
  manifests: Pick<ManifestRepository, 'read'>;
  tombstones: Pick<TombstoneRepository, 'listSessionKeys'>;
  facts: Pick<ObjectStore, 'list'>;
  deadLetters: Pick<ObjectStore, 'list'>;
  lake: Pick<ObjectStore, 'list'>;
};

type Level = {
  files: number;
  sessions: number;
  bytes: number;
  /** When a process began to write the newest file of the level; null if the level has no file. */
  lastMs: number | null;
};

/** The state of a funnel's analytics. Times are milliseconds since the epoch, or null. */
export type AnalyticsStatus = {
  fresh: { facts: number; oldestMs: number | null };
  level1: Level;
  base: Level;
  /** Every fact that was stored before this time is in a file; null if this time is unknown. */
  completeUntilMs: number | null;
  version: number;
  generation: number;
  /** Number of retired files. Reads that began before the retirement may still use them. */
  retired: number;
  /** Stored files that the manifest does not name. They come from running or crashed processes. */
  unlisted: { files: number; bytes: number };
  /** Erased sessions. Their events that arrive later are not counted. */
  erasedSessions: number;
  /** Number of dead letters, for all funnels. */
  deadLetters: number;
  /** Number of objects with records that Firehose could not store, for all funnels. */
  deliveryErrors: number;
};

/**
 * Reads the state of a funnel's analytics for operators. The index of fresh facts is eventually consistent, so `fresh`
 * may lack the changes of the last second.
 */
export async function readAnalyticsStatus(ports: AnalyticsStatusPorts, funnelId: string): Promise<AnalyticsStatus> {
  const pending = (await ports.fresh.listPendingFunnels()).find((one) => one.funnelId === funnelId);
  const { files, retired, version, generation } = await ports.manifests.read(funnelId);
  return {
    fresh: { facts: pending?.factCount ?? 0, oldestMs: pending?.oldestMs ?? null },
    level1: levelOf(files.filter(isLevel1)),
    base: levelOf(files.filter(isBase)),
    completeUntilMs: latestCompleteUntilMs(files) || null,
    version,
    generation,
    retired: retired.length,
    unlisted: await unlistedIn(ports.facts, funnelId, new Set([...files, ...retired].map(factObjectKey))),
    erasedSessions: (await ports.tombstones.listSessionKeys(funnelId)).length,
    deadLetters: await countOf(ports.deadLetters, DEAD_LETTER_PREFIX),
    deliveryErrors: await countOf(ports.lake, EVENT_ERRORS_PREFIX),
  };
}

function levelOf(files: readonly ListedFile[]): Level {
  const sum = (of: (file: ListedFile) => number) => files.reduce((total, file) => total + of(file), 0);
  return {
    files: files.length,
    sessions: sum(({ factCount }) => factCount),
    bytes: sum(({ bytes }) => bytes),
    lastMs: files.length === 0 ? null : Math.max(...files.map(fileCreatedMs)),
  };
}

async function unlistedIn(objects: Pick<ObjectStore, 'list'>, funnelId: string, known: ReadonlySet<string>) {
  const unlisted = { files: 0, bytes: 0 };
  for await (const { key, bytes } of objects.list(`${FACTS_PREFIX}funnel_id=${funnelId}/`)) {
    if (known.has(key)) continue;
    unlisted.files++;
    unlisted.bytes += bytes;
  }
  return unlisted;
}

async function countOf(objects: Pick<ObjectStore, 'list'>, prefix: string): Promise<number> {
  let count = 0;
  for await (const _ of objects.list(prefix)) count++;
  return count;
}
