import type { FactFile } from './fact-files.ts';

/** `base`: each session stands once in all base files together. `1`: facts that may repeat and amend any others. */
export type Level = 'base' | '1';

export type ListedFile = FactFile & { level: Level };

/** Which files hold a funnel's facts. `version` counts its commits; 0: there was none. */
export type Manifest = { version: number; files: readonly ListedFile[] };

export type Manifests = {
  /** Strongly consistent. */
  read(funnelId: string): Promise<Manifest>;
  /** Replaces the list if nobody committed since `version` was read. */
  commit(funnelId: string, version: number, files: readonly ListedFile[]): Promise<'committed' | 'conflict'>;
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
    const { version, files: listed } = await manifests.read(funnelId);
    if (listed.some(({ name }) => names.has(name))) return;
    const level = levelIn(listed);
    const added = files.map((file) => ({ ...file, level }));
    if ((await manifests.commit(funnelId, version, [...listed, ...added])) === 'committed') return;
  }
}
