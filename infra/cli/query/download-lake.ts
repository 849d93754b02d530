import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { removeFoldersOfDeadProcesses } from '../../../shared/analytics/facts/duckdb/spill-folder.ts';
import { errorCode, UserError } from '../../common/user-error.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { type LakeFile, LakeFileMissingError, type LakeObjects } from './lake-files.ts';

/** Maximum size of a lake that is downloaded to one machine. */
const COPIED_BYTES_MAX = 2_000_000_000;
const DOWNLOAD_CONCURRENCY = 8;
/**
 * In these folders, the name of each entry contains a process id. Each download first removes the entries of processes
 * that have ended.
 */
const PARTS = 'parts';
const RUNS = 'runs';
const OWNER_ONLY = 0o700;

/**
 * Returns the folder of the copies. For the local environment, the folder is in the state folder, so that `--reset`
 * removes the copies. For a deployment, the folder is in the user's cache.
 */
export const resolveCopiesFolder = ({ state, stage }: EnvironmentOptions): string =>
  stage === undefined ? join(resolve(state), 'tmp', 'query') : join(homedir(), '.cache', 'tributary', 'query', stage);

/** A folder with hard links to the copies. Other queries do not remove these links. `end` removes the folder. */
export type QuerySession = { folder: string; end(): Promise<void> };

/**
 * Downloads `files` into the folder, and creates hard links to these copies for one query. If the folder already has an
 * intact copy of a file, keeps it, because file names are never reused. Removes the copies of all other files, because
 * they may hold erased data.
 *
 * @throws UserError if the files are too large for one machine, or a file is damaged in the bucket
 * @throws LakeFileMissingError if a file is not in the bucket, or another query removed its copy
 */
export async function downloadLake(
  folder: string,
  files: readonly LakeFile[],
  objects: LakeObjects,
): Promise<QuerySession> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > COPIED_BYTES_MAX) {
    const gigabytes = (bytes / 1e9).toFixed(1);
    throw new UserError(
      `The lake contains ${gigabytes} GB, but this command downloads at most ${COPIED_BYTES_MAX / 1e9} GB: ` +
        'query the lake in Athena, where saved queries create the same views.',
    );
  }
  for (const own of [PARTS, RUNS]) {
    await mkdir(join(folder, own), { recursive: true, mode: OWNER_ONLY });
    await removeFoldersOfDeadProcesses(join(folder, own));
  }
  await removeOthers(folder, files);
  const missing: LakeFile[] = [];
  for (const file of files) if (!(await isIntact(join(folder, file.key), file))) missing.push(file);
  const copying = missing.values();
  // All workers take their files from the same iterator.
  await Promise.all(
    Array.from({ length: DOWNLOAD_CONCURRENCY }, async () => {
      for (const file of copying) await copy(folder, file, objects);
    }),
  );
  return runOf(folder, files);
}

async function runOf(folder: string, files: readonly LakeFile[]): Promise<QuerySession> {
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
    if (errorCode(cause) === 'ENOENT')
      throw new LakeFileMissingError('Another query removed a downloaded copy: run the query again.', { cause });
    throw cause;
  }
  return { folder: own, end };
}

const ownName = (): string => `${process.pid}-${randomUUID()}`;

async function copy(folder: string, file: LakeFile, objects: LakeObjects): Promise<void> {
  const { key } = file;
  const part = join(folder, PARTS, ownName());
  const path = join(folder, key);
  try {
    await writeFile(part, await objects.get(key));
    if (!(await isIntact(part, file)))
      throw new UserError(
        `The file ${key} is damaged in the bucket. The query was not run. If the file is in the facts bucket, ` +
          'restore an old version of the file. The lake bucket keeps no old versions.',
      );
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

async function isIntact(path: string, { bytes, digest }: LakeFile): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== bytes) return false;
  if (digest === undefined) return true;
  const hash = createHash(digest.algorithm);
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === digest.hex;
}

/**
 * Removes the copies, because they may hold erased data. A running query removes the links to its copies when it ends.
 */
export async function removeCopies(folder: string): Promise<void> {
  if (existsSync(folder)) await removeOthers(folder, []);
}
