import { decodeTime } from 'ulid';
import type { FactFile } from './fact-files.ts';

/** `base`: each session stands once in all base files together. `1`: facts that may repeat and amend any others. */
export type Level = 'base' | '1';

export type ListedFile = FactFile & { level: Level };

/**
 * A file that no read begins with any more; it stays for those that began before. A name in this list never comes back
 * into the list of files.
 */
export type RetiredFile = Pick<FactFile, 'name'> & {
  /** Since when no read begins with it, milliseconds since the epoch. */
  retiredMs: number;
  /** It holds what must be forgotten: no old version of it may stay either. */
  forGood?: true;
};

/** Which files hold a funnel's facts. */
export type Manifest = {
  /** Counts the commits; 0: there was none. */
  version: number;
  /**
   * Counts the times that facts were taken away or replaced: what was read of a funnel stays true only as long as it
   * lasts. Whoever takes facts away removes them from the fresh ones first and raises this afterwards, even when no
   * file changes: a compaction that still holds what it read before then lists nothing.
   */
  generation: number;
  /** In the order in which they were listed. */
  files: readonly ListedFile[];
  retired: readonly RetiredFile[];
};

export const EMPTY_MANIFEST: Manifest = { version: 0, generation: 0, files: [], retired: [] };

/** What a commit puts in the place of what was read. */
export type NextManifest = Omit<Manifest, 'version'>;

export type ManifestRepository = {
  /** Strongly consistent. */
  read(funnelId: string): Promise<Manifest>;
  /**
   * Puts `next` in the place of what was `read` if nobody committed since.
   *
   * @throws when the list is too long to be stored
   */
  commit(funnelId: string, read: Manifest, next: NextManifest): Promise<'committed' | 'conflict'>;
  /** The funnels that list files of level 1, eventually consistent, and since when the oldest of these is there (ms since the epoch). */
  listFunnelsWithLevel1Files(): Promise<{ funnelId: string; oldestMs: number }[]>;
};

/** When a file was begun, by its writer's clock; milliseconds since the epoch. */
export const fileCreatedMs = ({ name }: Pick<FactFile, 'name'>): number =>
  decodeTime(name.slice(name.indexOf('/') + 1));

export const isBase = ({ level }: ListedFile): boolean => level === 'base';
export const isLevel1 = ({ level }: ListedFile): boolean => level === '1';

/**
 * Up to when a funnel's files held everything when the last of them was listed; 0: not known. Not the latest of all
 * files: a clock that was ahead for a while must not be believed for ever.
 */
export const latestCompleteUntilMs = (files: readonly ListedFile[]): number =>
  (files.findLast(isLevel1) ?? files.at(-1))?.completeUntilMs ?? 0;
