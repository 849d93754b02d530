import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FriendlyError } from '../local/friendly-error.ts';
import type { LakeFile, LakeObjects } from './lake-files.ts';

/** More is not copied to somebody's machine. */
const COPIED_BYTES_MAX = 2_000_000_000;
const COPIED_AT_ONCE = 8;
/** Unfinished copies go after a day; they have folder and name of their own, so that two queries at once do no harm. */
const PARTS = 'parts';
const PARTS_MS_MAX = 86_400_000;
const OWNER_ONLY = 0o700;

/**
 * Makes the folder hold copies of exactly these files, under their keys. A file's name is never used again, so what is
 * there already stays; what is not listed any more goes, as it may hold what was erased.
 *
 * @throws FriendlyError when they are too many for a machine; ObjectGone when the list is old
 */
export async function copyLake(folder: string, files: readonly LakeFile[], objects: LakeObjects): Promise<void> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > COPIED_BYTES_MAX) {
    const gigabytes = (bytes / 1e9).toFixed(1);
    throw new FriendlyError(
      `The lake holds ${gigabytes} GB, more than is copied to one machine: ask it in Athena, where saved queries make the same views.`,
    );
  }
  await mkdir(join(folder, PARTS), { recursive: true, mode: OWNER_ONLY });
  await removeOthers(folder, files);
  const missing: LakeFile[] = [];
  for (const file of files) if ((await sizeOf(join(folder, file.key))) !== file.bytes) missing.push(file);
  const copying = missing.values();
  // They share one iterator: each takes the next file that nobody has taken.
  await Promise.all(
    Array.from({ length: COPIED_AT_ONCE }, async () => {
      for (const file of copying) await copy(folder, file, objects);
    }),
  );
}

async function copy(folder: string, { key }: LakeFile, objects: LakeObjects): Promise<void> {
  const part = join(folder, PARTS, randomUUID());
  const path = join(folder, key);
  await writeFile(part, await objects.get(key));
  await mkdir(dirname(path), { recursive: true });
  await rename(part, path);
}

async function removeOthers(folder: string, files: readonly LakeFile[]): Promise<void> {
  const listed = new Set(files.map(({ key }) => join(folder, key)));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || listed.has(path)) continue;
    const isPart = entry.parentPath === join(folder, PARTS);
    if (!isPart || (await isOld(path))) await rm(path, { force: true });
  }
}

const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size;

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > PARTS_MS_MAX;
}
