import { type Fact, mergeFacts } from '../facts/fact.ts';
import type { FactFile, FactReader } from '../facts/fact-files.ts';
import type { FreshItem } from '../facts/fresh-facts.ts';
import { isBase, isLevel1, type Manifest } from '../facts/manifest.ts';

/** A session that fresh facts or amendments tell of: what it is in the base files, and what it has become. */
export type DirtySession = { before: Fact | undefined; after: Fact };

/** What is known of a funnel beside its base files, at one instant: never changed afterwards. */
export type DirtySessionSet = {
  /** Those that differ from the base. */
  changes: readonly DirtySession[];
  /** The earliest first time of all touched sessions, milliseconds since the epoch; Infinity without any. */
  firstMs: number;
};

/** What a read found listed: the fresh items first, then the manifest. */
type Listed = { fresh: readonly FreshItem[]; manifest: Manifest };

type Memory = {
  generation: number;
  /** Of the manifest that it was begun with; base and generation of a later one are never those from before again. */
  version: number;
  base: string;
  /** The names of amendments and the references of fresh items that are merged, of those that were listed last. */
  applied: ReadonlySet<string>;
  sessions: Map<bigint, DirtySession>;
  told: DirtySessionSet;
  /** About what the facts take. */
  bytes: number;
  turn: Promise<unknown>;
};

/** What all funnels may take together: some 400 000 usual facts. */
const BYTES_MAX = 200_000_000;
/** So many facts are read from amendments at a time. */
const READ_FACTS_MAX = 50_000;

export type DirtySessionCache = ReturnType<typeof createDirtySessionCache>;

/**
 * Remembers of each funnel its touched sessions, merged, and which items they come from: a read merges only what is
 * new. That is right because items never change and because within a generation facts are only added; whatever is
 * merged may be merged again. The least recently read funnels are forgotten first.
 */
export function createDirtySessionCache(files: FactReader, bytesMax = BYTES_MAX) {
  const memories = new Map<string, Memory>();

  const memoryFor = (funnelId: string, manifest: Manifest): Memory => {
    const base = manifest.files
      .filter(isBase)
      .map(({ name }) => name)
      .join();
    const known = memories.get(funnelId);
    if (known?.base === base && known.generation === manifest.generation) return known;
    const begun = blank(manifest, base);
    // A read that took long may come with a manifest from before: it remembers nothing.
    if (known !== undefined && known.version >= manifest.version) return begun;
    memories.set(funnelId, begun);
    files.evictExcept(funnelId, manifest.files);
    return begun;
  };
  const makeRoom = (funnelId: string, memory: Memory) => {
    if (memories.get(funnelId) !== memory) return;
    memories.delete(funnelId);
    memories.set(funnelId, memory);
    let held = 0;
    for (const { bytes } of memories.values()) held += bytes;
    for (const [oldest, { bytes }] of memories) {
      if (held <= bytesMax) return;
      memories.delete(oldest);
      held -= bytes;
    }
  };

  return {
    /** The generation that is remembered of a funnel. */
    generation: (funnelId: string): number | undefined => memories.get(funnelId)?.generation,
    /** The funnel's touched sessions, at least as new as what is listed. Reads at the same time take turns. */
    take: async (funnelId: string, listed: Listed): Promise<DirtySessionSet> => {
      const memory = memoryFor(funnelId, listed.manifest);
      const turn = memory.turn.then(() => bring(memory, files, listed));
      memory.turn = turn.catch(() => undefined);
      const told = await turn;
      makeRoom(funnelId, memory);
      return told;
    },
  };
}

const blank = ({ generation, version }: Manifest, base: string): Memory => ({
  ...{ generation, version, base, applied: new Set(), sessions: new Map() },
  told: { changes: [], firstMs: Number.POSITIVE_INFINITY },
  bytes: 1_000,
  turn: Promise.resolve(),
});

/** Merges what is not merged yet: all of it, or nothing when a file cannot be read. */
async function bring(memory: Memory, files: FactReader, { fresh, manifest }: Listed): Promise<DirtySessionSet> {
  const amendments = manifest.files.filter(isLevel1);
  const newFiles = amendments.filter(({ name }) => !memory.applied.has(name));
  const newItems = fresh.filter(({ ref }) => !memory.applied.has(ref));
  const added = new Map<bigint, Fact>();
  // The files first: while they are read, the fresh facts are decoded.
  await Promise.all([mergeFiles(added, files, newFiles), mergeFresh(added, newItems)]);
  const unknown = [...added.keys()].filter((key) => !memory.sessions.has(key));
  const found = await files.findBySessionKeys(manifest.files.filter(isBase), unknown);
  // From here on nothing waits.
  apply(memory, added, new Map(found.map((fact) => [fact.sessionKey, fact])));
  memory.applied = new Set([...fresh.map(({ ref }) => ref), ...amendments.map(({ name }) => name)]);
  return memory.told;
}

async function mergeFiles(merged: Map<bigint, Fact>, reader: FactReader, files: readonly FactFile[]): Promise<void> {
  for (const some of portions(files)) mergeInto(merged, await reader.read(some));
}

async function mergeFresh(merged: Map<bigint, Fact>, items: readonly FreshItem[]): Promise<void> {
  for (const { facts } of items) mergeInto(merged, facts);
}

function mergeInto(merged: Map<bigint, Fact>, facts: Iterable<Fact>): void {
  for (const fact of facts) {
    const known = merged.get(fact.sessionKey);
    merged.set(fact.sessionKey, known === undefined ? fact : mergeFacts(known, fact));
  }
}

/** The files in groups of at most `READ_FACTS_MAX` facts, or of one file. */
function portions(files: readonly FactFile[]): FactFile[][] {
  const groups: FactFile[][] = [];
  let facts = Number.POSITIVE_INFINITY;
  for (const file of files) {
    facts += file.sessions;
    if (facts > READ_FACTS_MAX) {
      groups.push([]);
      facts = file.sessions;
    }
    groups.at(-1)?.push(file);
  }
  return groups;
}

function apply(memory: Memory, added: ReadonlyMap<bigint, Fact>, base: ReadonlyMap<bigint, Fact>): void {
  if (added.size === 0) return;
  let { firstMs } = memory.told;
  for (const [key, fact] of added) {
    const known = memory.sessions.get(key);
    const before = known === undefined ? base.get(key) : known.before;
    const prior = known?.after ?? before;
    const after = prior === undefined ? fact : mergeFacts(prior, fact);
    memory.sessions.set(key, { before, after });
    memory.bytes += bytesOf(after) - (known === undefined ? -bytesOf(before) : bytesOf(known.after));
    firstMs = Math.min(firstMs, after.timeMs);
  }
  const changes = [...memory.sessions.values()].filter(({ before, after }) => before !== after);
  memory.told = { changes, firstMs };
}

/** What a fact takes beside its texts, about. */
const FACT_BYTES = 300;

function bytesOf(fact: Fact | undefined): number {
  if (fact === undefined) return 0;
  const { referrer, utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = fact;
  const texts = referrer.length + utmSource.length + utmMedium.length + utmCampaign.length;
  return FACT_BYTES + 2 * (texts + utmTerm.length + utmContent.length);
}
