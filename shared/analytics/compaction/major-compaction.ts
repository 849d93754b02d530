import type { Clock } from '../../platform/clock.ts';
import type { TimeBudget } from '../../platform/time-budget.ts';
import { commitFiles } from '../facts/commit-files.ts';
import type { FactFile } from '../facts/fact-files.ts';
import {
  fileCreatedMs,
  isBase,
  isLevel1,
  type ListedFile,
  latestCompleteUntilMs,
  type Manifest,
  type ManifestRepository,
  type NextManifest,
} from '../facts/manifest.ts';
import { type BaseRewriter, FULL_KEY_RANGE, type KeyRange } from './base-rewriter.ts';

export type MajorCompactionPorts = { manifests: ManifestRepository; rewriter: BaseRewriter; clock: Clock };

/** A funnel's amendments are put into its base when there are more files of them, */
const FILES_MAX = 64;
/** or more facts in them than this share of the base's sessions, within bounds: a read looks at each of them, */
const BASE_SHARE = 0.2;
const FACTS_MIN = 10_000;
const FACTS_MAX = 200_000;
/** or when the oldest file has been there for a day. */
const AGE_MS_MAX = 86_400_000;
/** The longest that one range takes. */
const RANGE_MS_MAX = 60_000;

export type MajorCompactionResult = { funnelId: string } & (
  | { outcome: 'compacted'; amendments: number; replaced: number; made: number }
  /** Others changed the funnel's files meanwhile; what was made is left to the sweeper. */
  | { outcome: 'given up' }
  | { outcome: 'failed'; cause: unknown }
);

type Run = TimeBudget & {
  isDue: (manifest: Manifest, nowMs: number) => boolean;
  /** Learns in the end the most files of amendments that a funnel had when its turn came. */
  backlog?: (filesMax: number) => void;
};

/** Puts the amendments of every funnel that is due into its base, the longest waiting first; a failure of one costs the others nothing. */
export async function runMajorCompactions(
  ports: MajorCompactionPorts,
  given: Partial<Run> = {},
): Promise<MajorCompactionResult[]> {
  const run = { remainingMs: () => Number.POSITIVE_INFINITY, isDue: isMajorCompactionDue, ...given };
  const amended = (await ports.manifests.listFunnelsWithLevel1Files()).sort((a, b) => a.oldestMs - b.oldestMs);
  const compactions: MajorCompactionResult[] = [];
  let filesMax = 0;
  const compactDue = async (funnelId: string): Promise<MajorCompactionResult | undefined> => {
    const manifest = await ports.manifests.read(funnelId);
    filesMax = Math.max(filesMax, manifest.files.filter(isLevel1).length);
    if (!run.isDue(manifest, ports.clock.now()) || run.remainingMs() < RANGE_MS_MAX) return undefined;
    return compactBase(ports, funnelId, manifest, run);
  };
  for (const { funnelId } of amended) {
    const compacted = await compactDue(funnelId).catch(
      (cause: unknown): MajorCompactionResult => ({ funnelId, outcome: 'failed', cause }),
    );
    if (compacted !== undefined) compactions.push(compacted);
  }
  run.backlog?.(filesMax);
  return compactions;
}

/** Whether a funnel's amendments should be put into its base by now. */
export function isMajorCompactionDue({ files }: Manifest, nowMs: number): boolean {
  const amendments = files.filter(isLevel1);
  if (amendments.length === 0) return false;
  const share = BASE_SHARE * sessionsIn(files.filter(isBase));
  const factsMax = Math.min(Math.max(share, FACTS_MIN), FACTS_MAX);
  // Also when a clock that was ahead wrote them.
  const waited = Math.abs(nowMs - Math.min(...amendments.map(fileCreatedMs)));
  return amendments.length > FILES_MAX || sessionsIn(amendments) > factsMax || waited >= AGE_MS_MAX;
}

const sessionsIn = (files: readonly FactFile[]): number => files.reduce((sum, { sessions }) => sum + sessions, 0);

/** Fails only with what still matters: a file that another compaction has taken out may be gone by now. */
async function compactBase(
  ports: MajorCompactionPorts,
  funnelId: string,
  read: Manifest,
  run: TimeBudget,
): Promise<MajorCompactionResult> {
  try {
    return await replaceBase(ports, funnelId, read, run);
  } catch (cause) {
    if (isStillTrue(read, await ports.manifests.read(funnelId))) throw cause;
    return { funnelId, outcome: 'given up' };
  }
}

/**
 * Major compaction: base and amendments become a new base. Base files whose sessions nothing amends stay as they are.
 * Nothing is deleted: until the manifest lists the new files no read knows them, and from then on no read begins with
 * the old ones.
 */
async function replaceBase(
  ports: MajorCompactionPorts,
  funnelId: string,
  read: Manifest,
  run: TimeBudget,
): Promise<MajorCompactionResult> {
  const beganMs = ports.clock.now();
  const amendments = read.files.filter(isLevel1);
  const replaced: ListedFile[] = [];
  const made: FactFile[] = [];
  for (const { base, range } of rangesOf(read.files.filter(isBase))) {
    if (run.remainingMs() < RANGE_MS_MAX) throw new Error('The time was over before the base was written.');
    const wanted = {
      funnelId,
      range,
      base,
      level1Files: amendments,
      completeUntilMs: latestCompleteUntilMs(read.files),
    };
    const files = await ports.rewriter.rewrite(wanted);
    if (files === undefined) continue;
    made.push(...files);
    if (base !== undefined) replaced.push(base);
  }
  const listing = await commitFiles(ports, funnelId, made, beganMs, (current) =>
    isStillTrue(read, current) ? put(made, [...amendments, ...replaced], current, ports.clock.now()) : undefined,
  );
  if (listing === 'outdated') return { funnelId, outcome: 'given up' };
  const counts = { amendments: amendments.length, replaced: replaced.length, made: made.length };
  return { funnelId, outcome: 'compacted', ...counts };
}

/** All keys in ranges, each around one base file. @throws when two base files could hold the same session */
function rangesOf(base: readonly ListedFile[]): { base: ListedFile | undefined; range: KeyRange }[] {
  const sorted = base.toSorted((a, b) => (a.minKey < b.minKey ? -1 : 1));
  if (sorted.some(({ maxKey }, at) => maxKey >= (sorted[at + 1]?.minKey ?? FULL_KEY_RANGE.to + 1n)))
    throw new Error('Two base files of a funnel overlap: its sessions may be counted twice. Rebuild its facts.');
  if (sorted.length === 0) return [{ base: undefined, range: FULL_KEY_RANGE }];
  return sorted.map((file, at) => {
    const next = sorted[at + 1];
    const from = at === 0 ? FULL_KEY_RANGE.from : file.minKey;
    return { base: file, range: { from, to: next === undefined ? FULL_KEY_RANGE.to : next.minKey - 1n } };
  });
}

/** Amendments may have come since; nothing may be gone, and the base must be the same: the new one must not overlap it. */
function isStillTrue(read: Manifest, current: Manifest): boolean {
  const listed = new Set(current.files.map(({ name }) => name));
  const baseOf = ({ files }: Manifest) => files.filter(isBase).length;
  return (
    current.generation === read.generation &&
    baseOf(current) === baseOf(read) &&
    read.files.every(({ name }) => listed.has(name))
  );
}

function put(made: readonly FactFile[], instead: readonly FactFile[], current: Manifest, nowMs: number): NextManifest {
  const gone = new Set(instead.map(({ name }) => name));
  const kept = current.files.filter(({ name }) => !gone.has(name));
  return {
    ...current,
    files: [...kept, ...made.map((file) => ({ ...file, level: 'base' }) as const)],
    retired: [...current.retired, ...Array.from(gone, (name) => ({ name, retiredMs: nowMs }))],
  };
}
