import { type Fact, mergeFacts, mergeFactsInto } from '../facts/fact.ts';
import type { FactFile } from '../facts/fact-files.ts';
import { isBase, isLevel1, type Manifest } from '../facts/manifest.ts';
import type { FactReader, FreshItem } from '../facts/ports.ts';

/** A session with fresh or level 1 facts. `before` is its fact in the base files, and `after` its merged fact. */
export type DirtySession = { before: Fact | undefined; after: Fact };

/** The changed sessions of a funnel at one instant. Immutable. */
export type ChangedSessions = {
  /** The dirty sessions whose merged fact differs from their fact in the base. */
  changedSessions: readonly DirtySession[];
  /**
   * Time of the earliest event of the dirty sessions, milliseconds since the epoch; Infinity without dirty sessions.
   */
  firstMs: number;
};

/** What a request has read: fresh items first, then the manifest. */
type ListedFacts = { fresh: readonly FreshItem[]; manifest: Manifest };

type CacheEntry = {
  generation: number;
  /** Version of the manifest for which the entry was created. Stays the same when the entry is updated later. */
  createdForVersion: number;
  baseNames: string;
  /**
   * The level 1 files (by name) and fresh items (by ref) of the last update. All of them are merged into `sessions`.
   */
  applied: ReadonlySet<string>;
  sessions: Map<bigint, DirtySession>;
  result: ChangedSessions;
  bytes: number;
  /** The last update; updates of one funnel run one after another. */
  lastUpdate: Promise<unknown>;
};

/** Maximum bytes of all entries together: about 400 000 usual facts. */
const BYTES_MAX = 200_000_000;
/** Maximum facts that are read from level 1 files at a time. */
const READ_FACTS_MAX = 50_000;

export type DirtySessionCache = ReturnType<typeof createDirtySessionCache>;

/**
 * Caches the merged dirty sessions of each funnel, and which files and items were merged. A request merges only new
 * files and items. This is correct because files and items are immutable, merging is idempotent, and within a
 * generation facts are added but never removed. The least recently used funnels are evicted first.
 */
export function createDirtySessionCache(factReader: FactReader, bytesMax = BYTES_MAX) {
  const entries = new Map<string, CacheEntry>();

  const entryFor = (funnelId: string, manifest: Manifest): CacheEntry => {
    const baseNames = manifest.files
      .filter(isBase)
      .map(({ name }) => name)
      .join();
    const known = entries.get(funnelId);
    if (known?.baseNames === baseNames && known.generation === manifest.generation) return known;
    const created = emptyEntry(manifest, baseNames);
    // A cached entry has another base or generation. If it was created for a newer manifest, this request was slow, and
    // the cached entry stays.
    if (known !== undefined && known.createdForVersion >= manifest.version) return created;
    entries.set(funnelId, created);
    factReader.evictExcept(funnelId, manifest.files);
    return created;
  };
  const markUsedAndEvictOldest = (funnelId: string, entry: CacheEntry) => {
    if (entries.get(funnelId) !== entry) return;
    entries.delete(funnelId);
    entries.set(funnelId, entry);
    let cachedBytes = 0;
    for (const { bytes } of entries.values()) cachedBytes += bytes;
    for (const [oldest, { bytes }] of entries) {
      if (cachedBytes <= bytesMax) return;
      entries.delete(oldest);
      cachedBytes -= bytes;
    }
  };

  return {
    generation: (funnelId: string): number | undefined => entries.get(funnelId)?.generation,
    /**
     * Merges the new facts of `listed` into the dirty sessions, and returns the changed sessions. The result includes
     * all facts of `listed`, and perhaps newer facts. Concurrent updates of a funnel run one after another.
     */
    mergeAndListChanged: async (funnelId: string, listed: ListedFacts): Promise<ChangedSessions> => {
      const entry = entryFor(funnelId, listed.manifest);
      const update = entry.lastUpdate.then(() => mergeNewItems(entry, factReader, listed));
      entry.lastUpdate = update.catch(() => undefined);
      const result = await update;
      markUsedAndEvictOldest(funnelId, entry);
      return result;
    },
  };
}

const emptyEntry = ({ generation, version }: Manifest, baseNames: string): CacheEntry => ({
  generation,
  createdForVersion: version,
  baseNames,
  applied: new Set(),
  sessions: new Map(),
  result: { changedSessions: [], firstMs: Number.POSITIVE_INFINITY },
  bytes: 1_000,
  lastUpdate: Promise.resolve(),
});

/** Merges all new level 1 files and fresh items. If a file can't be read, throws and merges nothing. */
async function mergeNewItems(
  entry: CacheEntry,
  factReader: FactReader,
  { fresh, manifest }: ListedFacts,
): Promise<ChangedSessions> {
  const level1Files = manifest.files.filter(isLevel1);
  const newFiles = level1Files.filter(({ name }) => !entry.applied.has(name));
  const newItems = fresh.filter(({ ref }) => !entry.applied.has(ref));
  const added = new Map<bigint, Fact>();
  // The files are requested first, so that fresh facts are decoded while the files are being read.
  await Promise.all([mergeFiles(added, factReader, newFiles), mergeFresh(added, newItems)]);
  const unknown = [...added.keys()].filter((key) => !entry.sessions.has(key));
  const found = await factReader.findBySessionKeys(manifest.files.filter(isBase), unknown);
  // No await from here on, so that the entry changes atomically.
  apply(entry, added, new Map(found.map((fact) => [fact.sessionKey, fact])));
  // The set is replaced, so that it stays small. A slow request may list items that are no longer in the set. Merging
  // these items twice changes nothing.
  entry.applied = new Set([...fresh.map(({ ref }) => ref), ...level1Files.map(({ name }) => name)]);
  return entry.result;
}

async function mergeFiles(
  merged: Map<bigint, Fact>,
  factReader: FactReader,
  files: readonly FactFile[],
): Promise<void> {
  for (const group of groupFiles(files)) mergeFactsInto(merged, await factReader.read(group));
}

async function mergeFresh(merged: Map<bigint, Fact>, items: readonly FreshItem[]): Promise<void> {
  for (const { facts } of items) mergeFactsInto(merged, facts);
}

/** Splits files into groups of at most `READ_FACTS_MAX` facts. A larger file is a group of its own. */
function groupFiles(files: readonly FactFile[]): FactFile[][] {
  const groups: FactFile[][] = [];
  let factCount = Number.POSITIVE_INFINITY;
  for (const file of files) {
    factCount += file.factCount;
    if (factCount > READ_FACTS_MAX) {
      groups.push([]);
      factCount = file.factCount;
    }
    groups.at(-1)?.push(file);
  }
  return groups;
}

function apply(entry: CacheEntry, added: ReadonlyMap<bigint, Fact>, baseFacts: ReadonlyMap<bigint, Fact>): void {
  if (added.size === 0) return;
  let { firstMs } = entry.result;
  for (const [key, fact] of added) {
    const known = entry.sessions.get(key);
    const before = known === undefined ? baseFacts.get(key) : known.before;
    const prior = known?.after ?? before;
    const after = prior === undefined ? fact : mergeFacts(prior, fact);
    entry.sessions.set(key, { before, after });
    // A new session adds the bytes of `before` and `after`. In a known session, `after` is replaced.
    entry.bytes += bytesOf(after) + (known === undefined ? bytesOf(before) : -bytesOf(known.after));
    firstMs = Math.min(firstMs, after.firstTimeMs);
  }
  // Compared by identity, because `mergeFacts` returns the same object if nothing changed.
  const changedSessions = [...entry.sessions.values()].filter(({ before, after }) => before !== after);
  entry.result = { changedSessions, firstMs };
}

/** Estimated bytes of a fact without its texts. */
const FACT_BYTES = 300;

function bytesOf(fact: Fact | undefined): number {
  if (fact === undefined) return 0;
  const { referrer, utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = fact;
  const texts = referrer.length + utmSource.length + utmMedium.length + utmCampaign.length;
  return FACT_BYTES + 2 * (texts + utmTerm.length + utmContent.length);
}
