import { decodeTime } from 'ulid';
import type { FactFile } from './fact-files.ts';

/**
 * The level of a file. `base`: a session occurs once in all base files together. `1`: level 1, facts of any session, to be
 * merged. Both are stored values. ADR 0002.
 */
export type Level = 'base' | '1';

export type ListedFile = FactFile & { level: Level };

/**
 * A file that new queries no longer use; it stays for running ones. A retired name never returns to the list of files.
 */
export type RetiredFile = Pick<FactFile, 'name'> & {
  /** When it was retired, milliseconds since the epoch. */
  retiredMs: number;
  /** It holds erased facts: its noncurrent object versions must be purged too. */
  purgeVersions?: true;
};

/** Lists the files that hold a funnel's facts. */
export type Manifest = {
  /** The number of commits. */
  version: number;
  /**
   * The number of erasures and rebuilds. What was read of a funnel is valid only within one generation. An erasure first
   * removes fresh facts and then increments this, even when no file changes, so that a running compaction does not
   * commit facts that it read before.
   */
  generation: number;
  /** In order of their commits. */
  files: readonly ListedFile[];
  retired: readonly RetiredFile[];
};

export const EMPTY_MANIFEST: Manifest = { version: 0, generation: 0, files: [], retired: [] };

/** The manifest to be committed. */
export type NextManifest = Omit<Manifest, 'version'>;

/** When writing the file began, by its writer's clock; milliseconds since the epoch. */
export const fileCreatedMs = ({ name }: Pick<FactFile, 'name'>): number =>
  decodeTime(name.slice(name.indexOf('/') + 1));

export const isBase = ({ level }: ListedFile): boolean => level === 'base';
export const isLevel1 = ({ level }: ListedFile): boolean => level === '1';

/**
 * The `completeUntilMs` of the level 1 file that was committed last; of the base if there is none, which repeats the value
 * of the files that it was made from. Not the maximum of all files, because a clock may have been ahead for a while.
 */
export const latestCompleteUntilMs = (files: readonly ListedFile[]): number =>
  (files.findLast(isLevel1) ?? files.at(-1))?.completeUntilMs ?? 0;
