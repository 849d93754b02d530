import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeOfDead } from '../../shared/analytics/facts/duckdb-spill.ts';
import { errorCode, FriendlyError } from '../local/friendly-error.ts';
import { type LakeFile, type LakeObjects, ObjectGone } from './lake-files.ts';

/** More is not copied to somebody's machine. */
const COPIED_BYTES_MAX = 2_000_000_000;
const COPIED_AT_ONCE = 8;
/** What is in these is named after the process that it belongs to, and goes when that is gone. */
const PARTS = 'parts';
const RUNS = 'runs';
const OWNER_ONLY = 0o700;

/** A query's own folder with copies under their keys, which no other query takes away. */
export type Run = { folder: string; end(): Promise<void> };

/**
 * Makes the folder hold copies of exactly these files, and a run of them. A file's name is never used again, so what is
 * there already stays; what is not listed any more goes, as it may hold what was erased.
 *
 * @throws FriendlyError when they are too many for a machine; ObjectGone when the list is old
 */
export async function copyLake(folder: string, files: readonly LakeFile[], objects: LakeObjects): Promise<Run> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > COPIED_BYTES_MAX) {
    const gigabytes = (bytes / 1e9).toFixed(1);
    throw new FriendlyError(
      `The lake holds ${gigabytes} GB, more than is copied to one machine: ask it in Athena, where saved queries make the same views.`,
    );
  }
  for (const own of [PARTS, RUNS]) {
    await mkdir(join(folder, own), { recursive: true, mode: OWNER_ONLY });
    await removeOfDead(join(folder, own));
  }
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
  return runOf(folder, files);
}

async function runOf(folder: string, files: readonly LakeFile[]): Promise<Run> {
  const own = join(folder, RUNS, ownName());
  const end = () => rm(own, { recursive: true, force: true });
  try {
    await mkdir(own);
    for (const { key } of files) {
      await mkdir(dirname(join(own, key)), { recursive: true });
      await link(join(folder, key), join(own, key));
    }
  } catch (cause) {
    await end();
    if (errorCode(cause) === 'ENOENT') throw new ObjectGone('Another query took a copy away.', { cause });
    throw cause;
  }
  return { folder: own, end };
}

const ownName = (): string => `${process.pid}-${randomUUID()}`;

async function copy(folder: string, { key }: LakeFile, objects: LakeObjects): Promise<void> {
  const part = join(folder, PARTS, ownName());
  const path = join(folder, key);
  try {
    await writeFile(part, await objects.get(key));
    await mkdir(dirname(path), { recursive: true });
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

async function removeOthers(folder: string, files: readonly LakeFile[]): Promise<void> {
  const listed = new Set(files.map(({ key }) => join(folder, key)));
  const ofProcesses = [PARTS, RUNS].map((own) => join(folder, own));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (ofProcesses.includes(path)) continue;
    if (entry.isDirectory()) await removeUnlisted(path, listed);
    else await rm(path, { force: true });
  }
}

async function removeUnlisted(folder: string, listed: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !listed.has(path)) await rm(path, { force: true });
  }
}

const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size;
