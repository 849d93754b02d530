import { SET_ASIDE_PREFIX } from '../events/set-aside.ts';
import type { Erasures } from '../facts/erasures.ts';
import { FACTS_PREFIX, factObjectKey } from '../facts/fact-files.ts';
import type { FreshFacts } from '../facts/fresh-facts.ts';
import { completeUntil, isAmendment, isBase, type ListedFile, type Manifests, writtenMs } from '../facts/manifest.ts';
import { EVENT_ERRORS_PREFIX } from '../lake/raw-event-files.ts';
import type { StoredObjects } from './stored-objects.ts';

export type StatusPorts = {
  fresh: Pick<FreshFacts, 'waiting'>;
  manifests: Pick<Manifests, 'read'>;
  erasures: Pick<Erasures, 'keys'>;
  facts: Pick<StoredObjects, 'list'>;
  setAside: Pick<StoredObjects, 'list'>;
  lake: Pick<StoredObjects, 'list'>;
};

type Level = {
  files: number;
  sessions: number;
  bytes: number;
  /** When its newest file was begun; null: it has none. */
  lastMs: number | null;
};

/** How a funnel's analytics stand. Times are milliseconds since the epoch, null where there is none. */
export type Status = {
  fresh: { facts: number; oldestMs: number | null };
  amendments: Level;
  base: Level;
  /** Up to when the files hold everything that the API counts. */
  completeUntilMs: number | null;
  version: number;
  generation: number;
  /** Files that no read begins with any more, still there for those that began before. */
  retired: number;
  /** Stored files that no manifest knows: of compactions under way, or left by a crash. */
  unlisted: { files: number; bytes: number };
  /** Sessions whose late events are kept out. */
  erasedSessions: number;
  /** Of all funnels: records that could not be counted, and objects with records that could not be kept. */
  setAside: number;
  unkept: number;
};

/** What an operator asks first. Fresh facts are told by an index that may be a second behind. */
export async function statusOf(ports: StatusPorts, funnelId: string): Promise<Status> {
  const waiting = (await ports.fresh.waiting()).find((one) => one.funnelId === funnelId);
  const { files, retired, version, generation } = await ports.manifests.read(funnelId);
  return {
    fresh: { facts: waiting?.facts ?? 0, oldestMs: waiting?.oldestMs ?? null },
    amendments: levelOf(files.filter(isAmendment)),
    base: levelOf(files.filter(isBase)),
    completeUntilMs: completeUntil(files) || null,
    ...{ version, generation, retired: retired.length },
    unlisted: await unlistedIn(ports.facts, funnelId, new Set([...files, ...retired].map(factObjectKey))),
    erasedSessions: (await ports.erasures.keys(funnelId)).length,
    setAside: await countOf(ports.setAside, SET_ASIDE_PREFIX),
    unkept: await countOf(ports.lake, EVENT_ERRORS_PREFIX),
  };
}

function levelOf(files: readonly ListedFile[]): Level {
  const sum = (of: (file: ListedFile) => number) => files.reduce((total, file) => total + of(file), 0);
  return {
    files: files.length,
    sessions: sum(({ sessions }) => sessions),
    bytes: sum(({ bytes }) => bytes),
    lastMs: files.length === 0 ? null : Math.max(...files.map(writtenMs)),
  };
}

async function unlistedIn(objects: Pick<StoredObjects, 'list'>, funnelId: string, known: ReadonlySet<string>) {
  const unlisted = { files: 0, bytes: 0 };
  for await (const { key, bytes } of objects.list(`${FACTS_PREFIX}funnel_id=${funnelId}/`)) {
    if (known.has(key)) continue;
    unlisted.files++;
    unlisted.bytes += bytes;
  }
  return unlisted;
}

async function countOf(objects: Pick<StoredObjects, 'list'>, prefix: string): Promise<number> {
  let count = 0;
  for await (const _ of objects.list(prefix)) count++;
  return count;
}
