import { decodeTime } from 'ulid';
import type { FactFile } from './fact-files.ts';

/**
 * The level of a file. `base`: all base files together contain at most one fact per session. `1`: other files can
 * contain facts of the same sessions. Reads and SQL queries must merge all facts of a session. Manifests store these
 * values, so they must not change. ADR 0002.
 */
export type Level = 'base' | '1';

export type ListedFile = FactFile & { level: Level };

/**
 * A file that new reads and SQL queries do not use. It is kept for those that are running. A retired name is never
 * added to `files` again.
 */
export type RetiredFile = Pick<FactFile, 'name'> & {
  /** When the file was retired, milliseconds since the epoch. */
  retiredMs: number;
  /** The file may hold erased facts, so its noncurrent object versions must be purged, too. */
  purgeVersions?: true;
};

export type Manifest = {
  /** The number of times that the manifest was written. */
  version: number;
  /**
   * The number of erasures and rebuilds. What was read in one generation must not be committed in another. An erasure
   * first removes fresh facts and then increments the generation, even if no file changes. A running compaction can
   * therefore not commit facts that it read before the erasure.
   */
  generation: number;
  /** The listed files. Compactions append their files. A rebuild puts the new base before all other files. */
  files: readonly ListedFile[];
  retired: readonly RetiredFile[];
};

export const EMPTY_MANIFEST: Manifest = { version: 0, generation: 0, files: [], retired: [] };

export type NextManifest = Omit<Manifest, 'version'>;

/** When the writer began to write the file, by the writer's clock, in milliseconds since the epoch. */
export const fileCreatedMs = ({ name }: Pick<FactFile, 'name'>): number =>
  decodeTime(name.slice(name.indexOf('/') + 1));

export const isBase = ({ level }: ListedFile): boolean => level === 'base';
export const isLevel1 = ({ level }: ListedFile): boolean => level === '1';

/**
 * Returns the `completeUntilMs` of the level 1 file that was committed last. If there is no level 1 file, returns the
 * value of the last base file, or 0 if there is no file. The maximum of all files would be wrong if the clock of an
 * earlier compaction was ahead.
 */
export const latestCompleteUntilMs = (files: readonly ListedFile[]): number =>
  (files.findLast(isLevel1) ?? files.at(-1))?.completeUntilMs ?? 0;
