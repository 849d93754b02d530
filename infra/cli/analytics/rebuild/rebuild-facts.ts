import { commitFiles } from '../../../../shared/analytics/facts/commit-files.ts';
import { type Fact, mergeFactsBySession } from '../../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../../shared/analytics/facts/fact-files.ts';
import {
  fileCreatedMs,
  isBase,
  type ListedFile,
  latestCompleteUntilMs,
  type Manifest,
} from '../../../../shared/analytics/facts/manifest.ts';
import type { FactWriter, ManifestRepository, TombstoneRepository } from '../../../../shared/analytics/facts/ports.ts';
import { reduceEventsToFacts } from '../../../../shared/analytics/facts/reduce-events-to-facts.ts';
import type { RawEventStore } from '../../../../shared/analytics/raw-events/ports.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import type { WithLease } from '../../../../shared/platform/lease.ts';
import { type FactStaging, type StagedFact, UnreadableFileError, type WithStaging } from './fact-staging.ts';
import { addSessionToDiff, createEmptyDiff, type RebuildDiff } from './rebuild-diff.ts';

export type RebuildPorts = {
  raw: Pick<RawEventStore, 'listFiles' | 'open'>;
  staging: WithStaging;
  manifests: Pick<ManifestRepository, 'read' | 'replaceIfUnchanged'>;
  writer: FactWriter;
  tombstones: Pick<TombstoneRepository, 'listSessionKeys'>;
  withLease: WithLease;
  clock: Clock;
};

export type RebuildOptions = {
  /** The longest time that an event takes from the stream to a raw file. */
  marginMs: number;
  fileSessionsMax?: number;
  /** Reviews the difference before anything is written. @returns whether to continue */
  confirm(comparison: RebuildDiff): Promise<boolean>;
};

export type RebuildResult =
  | { outcome: 'rebuilt'; comparison: RebuildDiff; files: number; replaced: number; kept: number }
  | { outcome: 'declined'; comparison: RebuildDiff }
  /** The base is younger than `marginMs`, so the raw files may lack some of its events. */
  | { outcome: 'too early'; waitMs: number }
  /**
   * During the rebuild, another process erased facts or replaced fact files of the funnel. Or writing the new files
   * took too long.
   */
  | { outcome: 'superseded' };

/** Maximum number of sessions in a file. While a file is written, memory holds all its facts, some 100 MB. */
const FILE_SESSIONS_MAX = 150_000;

/**
 * Rebuilds a funnel's fact files from its raw events. The raw files may lack events that are younger than `marginMs`.
 * Therefore, level 1 files that are younger than `marginMs` stay, and so do all fresh facts. One commit replaces all
 * older fact files with a new base.
 *
 * @throws if a file that stays listed is missing or damaged, a raw file is deleted before it is read, the lease is not
 * available, or a store fails. The rebuild can be repeated.
 */
export async function rebuildFacts(
  ports: RebuildPorts,
  funnelId: string,
  options: RebuildOptions,
): Promise<RebuildResult> {
  const beganMs = ports.clock.now();
  const manifest = await ports.manifests.read(funnelId);
  const isYoung = (file: FactFile) => fileCreatedMs(file) >= beganMs - options.marginMs;
  const youngest = Math.max(0, ...manifest.files.filter(isBase).filter(isYoung).map(fileCreatedMs));
  if (youngest > 0) return { outcome: 'too early', waitMs: youngest + options.marginMs - beganMs + 1 };
  const [kept, replaced] = partition(manifest.files, isYoung);
  return ports.staging(async (staging) => {
    let filesUnreadable = 0;
    for (const file of replaced) filesUnreadable += (await stageReplaced(staging, file)) ? 0 : 1;
    for (const file of kept) await staging.addFile('kept', file);
    // The lease prevents concurrent erasures. An erasure moves rows between files, so this function could miss rows. If
    // an erasure starts later, it increments the generation, and the rebuild cannot commit.
    await ports.withLease(() => stageRawEvents(ports.raw, funnelId, staging));
    const erased = new Set(await ports.tombstones.listSessionKeys(funnelId));
    const comparison = { ...(await compareSessions(staging, erased)), filesUnreadable };
    if (!(await options.confirm(comparison))) return { outcome: 'declined', comparison };
    const startMs = ports.clock.now();
    const max = options.fileSessionsMax ?? FILE_SESSIONS_MAX;
    const files: FactFile[] = [];
    for await (const facts of rebuilt(staging, erased, max))
      files.push(await ports.writer.write(funnelId, facts, latestCompleteUntilMs(manifest.files)));
    const next = (read: Manifest) => replacing(read, manifest, replaced, files, ports.clock.now());
    const result = await commitFiles(ports, funnelId, files, startMs, next);
    if (result === 'superseded') return { outcome: 'superseded' };
    return { outcome: 'rebuilt', comparison, files: files.length, replaced: replaced.length, kept: kept.length };
  });
}

function partition(files: readonly ListedFile[], isFirst: (file: ListedFile) => boolean) {
  return [files.filter(isFirst), files.filter((file) => !isFirst(file))] as const;
}

/** Stages a file that the rebuild replaces. @returns false if the file is missing or damaged */
async function stageReplaced(staging: FactStaging, file: FactFile): Promise<boolean> {
  try {
    await staging.addFile('replaced', file);
    return true;
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

async function stageRawEvents(raw: RebuildPorts['raw'], funnelId: string, staging: FactStaging): Promise<void> {
  for await (const { key } of raw.listFiles()) {
    const staged = await raw.open(key, async (file) => {
      for await (const events of file.events(funnelId)) {
        const facts = reduceEventsToFacts(events).get(funnelId) ?? [];
        if (facts.length > 0) await staging.add('raw', facts);
      }
      return true;
    });
    if (staged === undefined)
      throw new Error(
        `The raw event file ${key} was deleted before the rebuild read it, for example by an erasure that started ` +
          'while this command was paused for a minute or longer. Run the command again.',
      );
  }
}

/** Merges those facts of a session that `counts` accepts. Returns undefined if `counts` accepts no fact. */
const merged = (session: readonly StagedFact[], counts: (staged: StagedFact) => boolean): Fact | undefined =>
  mergeFactsBySession(session.filter(counts).map(({ fact }) => fact))
    .values()
    .next().value;

const isErased = ([first]: readonly StagedFact[], erased: ReadonlySet<bigint>): boolean =>
  first !== undefined && erased.has(first.fact.sessionKey);

async function compareSessions(staging: FactStaging, erased: ReadonlySet<bigint>): Promise<RebuildDiff> {
  const counted = createEmptyDiff();
  for await (const session of staging.sessions()) {
    if (isErased(session, erased)) continue;
    addSessionToDiff(
      counted,
      merged(session, ({ side }) => side !== 'raw'),
      merged(session, ({ side }) => side !== 'replaced'),
    );
  }
  return counted;
}

/** Yields batches of facts from raw events, in the order of session keys. Skips erased sessions. */
async function* rebuilt(staging: FactStaging, erased: ReadonlySet<bigint>, max: number): AsyncGenerator<Fact[]> {
  let facts: Fact[] = [];
  for await (const session of staging.sessions()) {
    const fact = isErased(session, erased) ? undefined : merged(session, ({ side }) => side === 'raw');
    if (fact !== undefined) facts.push(fact);
    if (facts.length < max) continue;
    yield facts;
    facts = [];
  }
  if (facts.length > 0) yield facts;
}

/**
 * Builds the manifest with the new base and the files that stay. Returns undefined if the generation has changed, a
 * replaced file is no longer listed, or another base is listed.
 */
function replacing(
  read: Manifest,
  began: Manifest,
  replaced: readonly ListedFile[],
  files: readonly FactFile[],
  nowMs: number,
) {
  const old = new Set(replaced.map(({ name }) => name));
  const stays = read.files.filter(({ name }) => !old.has(name));
  const allListed = read.files.length - stays.length === old.size;
  if (read.generation !== began.generation || !allListed || stays.some(isBase)) return undefined;
  const base = files.map((file) => ({ ...file, level: 'base' as const }));
  const retired = replaced.map(({ name }) => ({ name, retiredMs: nowMs }));
  return {
    generation: read.generation + 1,
    files: [...base, ...stays],
    retired: [...read.retired, ...retired],
  };
}
