import type { FactFile } from './fact-files.ts';

/** `base`: each session stands once in all base files together. `1`: facts that may repeat and amend any others. */
export type Level = 'base' | '1';

export type ListedFile = FactFile & { level: Level };

/** A file that no read begins with any more; it stays for those that began before. */
export type RetiredFile = Pick<FactFile, 'name'> & {
  /** Since when it is out of the list, milliseconds since the epoch. */
  retiredMs: number;
};

/** Which files hold a funnel's facts. */
export type Manifest = {
  /** Counts the commits; 0: there was none. */
  version: number;
  /** Counts the times that facts were taken away or replaced: what was read of a funnel stays true only as long as it lasts. */
  generation: number;
  files: readonly ListedFile[];
  retired: readonly RetiredFile[];
};

export const NO_MANIFEST: Manifest = { version: 0, generation: 0, files: [], retired: [] };

export type Manifests = {
  /** Strongly consistent. */
  read(funnelId: string): Promise<Manifest>;
  /** Puts `next` in the place of what was `read` if nobody committed since. */
  commit(funnelId: string, read: Manifest, next: Omit<Manifest, 'version'>): Promise<'committed' | 'conflict'>;
};

/**
 * Adds files to whatever the manifest lists by then. Harmless to repeat: a commit whose reply was lost is recognised
 * by the files' names.
 *
 * @param levelIn the level of the files, given what is listed when they are added
 */
export async function addFiles(
  manifests: Manifests,
  funnelId: string,
  files: readonly FactFile[],
  levelIn: (listed: readonly ListedFile[]) => Level,
): Promise<void> {
  const names = new Set(files.map(({ name }) => name));
  for (;;) {
    const read = await manifests.read(funnelId);
    if (read.files.some(({ name }) => names.has(name))) return;
    const level = levelIn(read.files);
    const added = files.map((file) => ({ ...file, level }));
    if ((await manifests.commit(funnelId, read, { ...read, files: [...read.files, ...added] })) === 'committed') return;
  }
}
