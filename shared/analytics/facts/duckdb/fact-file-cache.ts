import { createHash, randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onceAsync } from '../../../platform/once.ts';
import type { FactFile } from '../fact-files.ts';

type CachedFile = Pick<FactFile, 'name' | 'bytes' | 'sha256'>;
type Fetch = (file: CachedFile) => Promise<Uint8Array>;

/** Local copies of fact files in one folder. The least recently used copies are evicted first. */
export type FactFileCache = {
  /**
   * Runs `use` with the paths of the files' copies, and keeps the copies until the promise of `use` settles. If `use`
   * fails after a copy was changed or deleted, retries once.
   */
  withCopies<T>(files: readonly CachedFile[], use: (paths: string[]) => Promise<T>): Promise<T>;
  /** Deletes the funnel's copies, except those of `files`. A copy in use is deleted when it is released. */
  evictExcept(funnelId: string, files: readonly Pick<CachedFile, 'name'>[]): Promise<void>;
};

type Copy = {
  bytes: number;
  users: number;
  /** The fingerprint of the copy when its checksum was verified. Undefined: the checksum must be verified. */
  verified: string | undefined;
  /** Whether the manifest no longer lists the file. If so, the copy is deleted when it is released. */
  unlisted?: boolean;
  storing?: Promise<void> | undefined;
};

const COPY = '.parquet';
/** Matches the end of a temporary file's name. When a download is complete, the temporary file becomes the copy. */
const TEMP_FILE = /\.parquet\.[^./]+$/;

type Taken = { file: CachedFile; path: string; copy: Copy };

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/**
 * @param bytesMax maximum total size of the copies. It is enforced when copies are released; copies in use are kept.
 * @param fetch downloads a file
 */
export function createFactFileCache(folder: string, bytesMax: number, fetch: Fetch): FactFileCache {
  /** Copies by path. The least recently used is first. */
  const copies = new Map<string, Copy>();
  const pathOf = ({ name }: Pick<CachedFile, 'name'>) => join(folder, `${name.replace('/', '-')}${COPY}`);
  const open = onceAsync(() => openFolder(folder, copies));

  const take = (file: CachedFile): Copy => {
    const path = pathOf(file);
    const copy = copies.get(path) ?? { bytes: file.bytes, users: 0, verified: undefined };
    copies.delete(path);
    copies.set(path, copy);
    copy.users++;
    return copy;
  };
  const ensure = async (file: CachedFile, copy: Copy) => {
    const path = pathOf(file);
    if (copy.verified !== undefined && copy.verified === fingerprintOf(path)) return;
    copy.storing ??= store(file, path, fetch).finally(() => {
      copy.storing = undefined;
    });
    await copy.storing;
    copy.verified = fingerprintOf(path);
    copy.bytes = file.bytes;
  };
  const release = (file: CachedFile, copy: Copy) => {
    const path = pathOf(file);
    copy.users--;
    if (copy.users === 0 && (copy.unlisted || fingerprintOf(path) === undefined)) remove(copies, path);
    makeRoom(copies, bytesMax);
  };

  const attempt = async <T>(taken: readonly Taken[], use: (paths: string[]) => Promise<T>): Promise<T> => {
    // Wait for all copies even if one fails, so that no copy is released while it is being stored.
    const ensured = await Promise.allSettled(taken.map(({ file, copy }) => ensure(file, copy)));
    for (const result of ensured) if (result.status === 'rejected') throw result.reason;
    return use(taken.map(({ path }) => path));
  };
  return {
    withCopies: async (files, use) => {
      await open();
      const taken = files.map((file) => ({ file, path: pathOf(file), copy: take(file) }));
      try {
        return await attempt(taken, use).catch((cause: unknown) => {
          // Tries again if another process changed or deleted copies in the folder.
          if (invalidateVerification(taken) || isMissing(cause)) return attempt(taken, use);
          throw cause;
        });
      } finally {
        for (const { file, copy } of taken) release(file, copy);
      }
    },
    evictExcept: async (funnelId, files) => {
      await open();
      const ofFunnel = pathOf({ name: `${funnelId}/` }).slice(0, -COPY.length);
      for (const path of await unlistedIn(folder, ofFunnel, new Set(files.map(pathOf)))) evict(copies, path);
    },
  };
}

/**
 * Finds the copies and temporary files of unlisted fact files. Reads the folder, because other processes may store
 * copies there, too. Omits the temporary files of listed fact files, because a download may still be writing them.
 */
async function unlistedIn(folder: string, prefix: string, listed: ReadonlySet<string>): Promise<string[]> {
  const paths = (await readdir(folder)).map((entry) => join(folder, entry));
  return paths.filter((path) => path.startsWith(prefix) && !listed.has(path.replace(TEMP_FILE, COPY)));
}

/** Deletes a copy or temporary file. If the copy is in use, only marks it, so that its release deletes the copy. */
function evict(copies: Map<string, Copy>, path: string): void {
  const copy = copies.get(path.replace(TEMP_FILE, COPY));
  if (copy === undefined || copy.users === 0) remove(copies, path);
  else copy.unlisted = true;
}

/** Synchronous, so that no caller can take a copy that was already chosen for deletion. */
function remove(copies: Map<string, Copy>, path: string): void {
  rmSync(path, { force: true, recursive: true });
  copies.delete(path);
}

const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';

/** Marks the copies as unverified. @returns whether one of them changed on disk */
function invalidateVerification(taken: readonly Taken[]): boolean {
  const changed = taken.some(
    ({ path, copy: { verified } }) => verified !== undefined && verified !== fingerprintOf(path),
  );
  for (const { copy } of taken) copy.verified = undefined;
  return changed;
}

/**
 * Registers all files in the folder, even partial ones. They are verified before use and evicted when space is needed.
 */
async function openFolder(folder: string, copies: Map<string, Copy>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const left = await stat(path).catch(() => undefined);
    if (left !== undefined) copies.set(path, { bytes: left.size, users: 0, verified: undefined });
  }
}

/** Returns a text that changes whenever the file is modified or replaced; undefined when the file is missing. */
function fingerprintOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}

/** Stores an intact copy at `path` by renaming, so that a crash never leaves a partial copy there. */
async function store(file: CachedFile, path: string, fetch: Fetch): Promise<void> {
  const left = await readFile(path).catch(() => undefined);
  if (left !== undefined && isIntact(left, file)) return;
  const bytes = await fetch(file);
  if (!isIntact(bytes, file))
    throw new Error(
      `The fact file ${file.name} is damaged: its size or SHA-256 differs from the manifest. Restore an old version in the facts bucket.`,
    );
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, bytes);
    await rename(draft, path);
  } catch (cause) {
    // The disk may be full, so delete the temporary file now.
    await rm(draft, { force: true });
    throw cause;
  }
}

const isIntact = (bytes: Uint8Array, file: CachedFile): boolean =>
  bytes.length === file.bytes && sha256(bytes) === file.sha256;

function makeRoom(copies: Map<string, Copy>, bytesMax: number): void {
  let bytes = 0;
  for (const copy of copies.values()) bytes += copy.bytes;
  for (const [path, copy] of copies) {
    if (bytes <= bytesMax) return;
    if (copy.users > 0) continue;
    remove(copies, path);
    bytes -= copy.bytes;
  }
}
