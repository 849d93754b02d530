import type { Clock } from '../../platform/clock.ts';
import type { RemainingTime } from '../../platform/remaining-time.ts';
import { commitFiles } from '../facts/commit-files.ts';
import type { FactFile } from '../facts/fact-files.ts';
import {
  fileCreatedMs,
  isBase,
  isLevel1,
  type ListedFile,
  latestCompleteUntilMs,
  type Manifest,
  type NextManifest,
} from '../facts/manifest.ts';
import type { ManifestRepository } from '../facts/ports.ts';
import { type BaseRewriter, FULL_KEY_RANGE, type KeyRange } from './ports.ts';

export type MajorCompactionPorts = { manifests: ManifestRepository; rewriter: BaseRewriter; clock: Clock };

/** A major compaction is due when level 1 has more files than this. */
const LEVEL1_FILES_MAX = 64;
/**
 * A major compaction is due when level 1 has more facts than this share of the base's facts. Facts in level 1 slow down
 * reads, because each read merges all of them.
 */
const LEVEL1_SHARE_MAX = 0.2;
/**
 * Bounds of the number of level 1 facts that `LEVEL1_SHARE_MAX` allows. A number below `min` is raised to `min`. A
 * number above `max` is lowered to `max`.
 */
const LEVEL1_FACTS_BOUNDS = { min: 10_000, max: 200_000 };
/** A major compaction is due when the oldest level 1 file has this age. */
const LEVEL1_AGE_MS_MAX = 86_400_000;
/** Expected maximum time to rewrite one range. A rewrite begins only if at least this time is left. */
const RANGE_MS_MAX = 60_000;

export type MajorCompactionResult = { funnelId: string } & (
  | { outcome: 'compacted'; level1Files: number; replaced: number; written: number }
  /**
   * The funnel's files changed during the run, or the run was too slow to commit (`commitFiles`). The sweeper deletes
   * the files that this run wrote and that the manifest does not list.
   */
  | { outcome: 'superseded' }
  | { outcome: 'failed'; cause: unknown }
);

type Run = RemainingTime & {
  isDue: (manifest: Manifest, nowMs: number) => boolean;
  /** Called at the end with the largest number of level 1 files that a funnel had before its compaction. */
  onLevel1Files?: (level1FilesMax: number) => void;
};

/**
 * Runs a major compaction (level 1 to the base) for the due funnels. The funnel with the oldest level 1 file is first.
 * A failure does not stop the other funnels. When less than `RANGE_MS_MAX` is left, no further range is rewritten. If
 * the compaction of a funnel is then incomplete, its outcome is `failed`, and the next run compacts it from the
 * beginning. The result omits funnels whose compaction did not begin.
 */
export async function runMajorCompactions(
  ports: MajorCompactionPorts,
  given: Partial<Run> = {},
): Promise<MajorCompactionResult[]> {
  const run = { remainingMs: () => Number.POSITIVE_INFINITY, isDue: isMajorCompactionDue, ...given };
  const pending = (await ports.manifests.listFunnelsWithLevel1Files()).sort((a, b) => a.oldestMs - b.oldestMs);
  const compactions: MajorCompactionResult[] = [];
  let filesMax = 0;
  const compactDue = async (funnelId: string): Promise<MajorCompactionResult | undefined> => {
    const manifest = await ports.manifests.read(funnelId);
    filesMax = Math.max(filesMax, manifest.files.filter(isLevel1).length);
    if (!run.isDue(manifest, ports.clock.now()) || run.remainingMs() < RANGE_MS_MAX) return undefined;
    return compactBase(ports, funnelId, manifest, run);
  };
  for (const { funnelId } of pending) {
    const compacted = await compactDue(funnelId).catch(
      (cause: unknown): MajorCompactionResult => ({ funnelId, outcome: 'failed', cause }),
    );
    if (compacted !== undefined) compactions.push(compacted);
  }
  run.onLevel1Files?.(filesMax);
  return compactions;
}

export function isMajorCompactionDue({ files }: Manifest, nowMs: number): boolean {
  const level1Files = files.filter(isLevel1);
  if (level1Files.length === 0) return false;
  const share = LEVEL1_SHARE_MAX * factsIn(files.filter(isBase));
  const factsMax = Math.min(Math.max(share, LEVEL1_FACTS_BOUNDS.min), LEVEL1_FACTS_BOUNDS.max);
  // If the clock of the file's writer was ahead, the age is negative. If the file's time is a day or more in the
  // future, the compaction is due, too.
  const ageMs = Math.abs(nowMs - Math.min(...level1Files.map(fileCreatedMs)));
  return level1Files.length > LEVEL1_FILES_MAX || factsIn(level1Files) > factsMax || ageMs >= LEVEL1_AGE_MS_MAX;
}

const factsIn = (files: readonly FactFile[]): number => files.reduce((sum, { factCount }) => sum + factCount, 0);

/**
 * Compacts a funnel. If an error occurs and the funnel's files have changed, returns `superseded` instead of throwing
 * the error. A file may be missing because another process replaced it and the sweeper then deleted it.
 */
async function compactBase(
  ports: MajorCompactionPorts,
  funnelId: string,
  read: Manifest,
  run: RemainingTime,
): Promise<MajorCompactionResult> {
  try {
    return await replaceBase(ports, funnelId, read, run);
  } catch (cause) {
    if (isStillCurrent(read, await ports.manifests.read(funnelId))) throw cause;
    return { funnelId, outcome: 'superseded' };
  }
}

/**
 * Merges base and level 1 into a new base. Keeps a base file if level 1 has no facts in its range. After one commit of
 * the manifest, reads and SQL queries use the new files. The sweeper deletes the old files later.
 */
async function replaceBase(
  ports: MajorCompactionPorts,
  funnelId: string,
  read: Manifest,
  run: RemainingTime,
): Promise<MajorCompactionResult> {
  const beganMs = ports.clock.now();
  const level1Files = read.files.filter(isLevel1);
  const replaced: ListedFile[] = [];
  const written: FactFile[] = [];
  for (const { base, range } of rangesOf(funnelId, read.files.filter(isBase))) {
    if (run.remainingMs() < RANGE_MS_MAX)
      throw new Error(
        `The run was out of time before the new base of the funnel ${funnelId} was written. The next run starts again. ` +
          `If this repeats, rebuild the facts: npm run admin -- analytics rebuild ${funnelId} --stage STAGE`,
      );
    const completeUntilMs = latestCompleteUntilMs(read.files);
    const files = await ports.rewriter.rewrite({ funnelId, range, base, level1Files, completeUntilMs });
    if (files === undefined) continue;
    written.push(...files);
    if (base !== undefined) replaced.push(base);
  }
  const result = await commitFiles(ports, funnelId, written, beganMs, (current) =>
    isStillCurrent(read, current)
      ? replaceFiles(current, [...level1Files, ...replaced], written, ports.clock.now())
      : undefined,
  );
  if (result === 'superseded') return { funnelId, outcome: 'superseded' };
  return {
    funnelId,
    outcome: 'compacted',
    level1Files: level1Files.length,
    replaced: replaced.length,
    written: written.length,
  };
}

/**
 * Splits all session keys into one range per base file, or into one range if there is no base file.
 *
 * @throws Error when two base files overlap
 */
function rangesOf(
  funnelId: string,
  baseFiles: readonly ListedFile[],
): { base: ListedFile | undefined; range: KeyRange }[] {
  const sorted = baseFiles.toSorted((a, b) => (a.minKey < b.minKey ? -1 : 1));
  if (sorted.some(({ maxKey }, at) => maxKey >= (sorted[at + 1]?.minKey ?? FULL_KEY_RANGE.to + 1n)))
    throw new Error(
      `The base files of the funnel ${funnelId} overlap, so sessions may be counted twice. Rebuild its facts with "npm run admin -- analytics rebuild".`,
    );
  if (sorted.length === 0) return [{ base: undefined, range: FULL_KEY_RANGE }];
  return sorted.map((file, at) => {
    const next = sorted[at + 1];
    const from = at === 0 ? FULL_KEY_RANGE.from : file.minKey;
    return { base: file, range: { from, to: next === undefined ? FULL_KEY_RANGE.to : next.minKey - 1n } };
  });
}

/**
 * Whether generation and base are unchanged and all files of `read` are still listed. New level 1 files are allowed.
 */
function isStillCurrent(read: Manifest, current: Manifest): boolean {
  const listed = new Set(current.files.map(({ name }) => name));
  const baseFileCount = ({ files }: Manifest) => files.filter(isBase).length;
  return (
    current.generation === read.generation &&
    baseFileCount(current) === baseFileCount(read) &&
    read.files.every(({ name }) => listed.has(name))
  );
}

function replaceFiles(
  current: Manifest,
  replaced: readonly FactFile[],
  written: readonly FactFile[],
  nowMs: number,
): NextManifest {
  const replacedNames = new Set(replaced.map(({ name }) => name));
  const kept = current.files.filter(({ name }) => !replacedNames.has(name));
  return {
    ...current,
    files: [...kept, ...written.map((file) => ({ ...file, level: 'base' }) as const)],
    retired: [...current.retired, ...Array.from(replacedNames, (name) => ({ name, retiredMs: nowMs }))],
  };
}
