import { createHash, randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onceAsync } from '../../../platform/once.ts';
import type { FactFile } from '../fact-files.ts';

type CachedFile = Pick<FactFile, 'name' | 'bytes' | 'sha256'>;
type Fetch = (file: CachedFile) => Promise<Uint8Array>;

/** Local copies of fact files in one folder; the least recently used are evicted first. */
export type FactFileCache = {
  /** Runs `use` with the paths of local copies, and keeps them until it settles. Retries once if a copy was deleted. */
  withCopies<T>(files: readonly CachedFile[], use: (paths: string[]) => Promise<T>): Promise<T>;
  /** Deletes the copies of the funnel's other files; copies in use are deleted when they are released. */
  evictExcept(funnelId: string, files: readonly Pick<CachedFile, 'name'>[]): Promise<void>;
};

type Copy = {
  bytes: number;
  users: number;
  /** Identity of the copy when its checksum was verified; undefined when it must be verified. */
  verified: string | undefined;
  /** No manifest lists the file any more. */
  unlisted?: boolean;
  storing?: Promise<void> | undefined;
};

/** File names of copies, and of temporary files that become copies. */
const COPY = '.parquet';
const TEMP_FILE = /\.parquet\.[^./]+$/;

type Taken = { file: CachedFile; path: string; copy: Copy };

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/**
 * @param bytesMax total size of the copies; copies in use may exceed it
 * @param fetch downloads a file
 */
export function createFactFileCache(folder: string, bytesMax: number, fetch: Fetch): FactFileCache {
  /** By path, the least recently used first. */
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
    if (copy.verified !== undefined && copy.verified === looksOf(path)) return;
    copy.storing ??= store(file, path, fetch).finally(() => {
      copy.storing = undefined;
    });
    await copy.storing;
    copy.verified = looksOf(path);
    copy.bytes = file.bytes;
  };
  const release = (file: CachedFile, copy: Copy) => {
    const path = pathOf(file);
    copy.users--;
    if (copy.users === 0 && (copy.unlisted || looksOf(path) === undefined)) remove(copies, path);
    makeRoom(copies, bytesMax);
  };

  const attempt = async <T>(taken: readonly Taken[], use: (paths: string[]) => Promise<T>): Promise<T> => {
    // Wait for all, so that no copy is released while it is being stored.
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
          // Another process may have cleaned the folder.
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

/** Reads the folder, because another process may use it too. Keeps temporary files of listed files: they are being written. */
async function unlistedIn(folder: string, prefix: string, listed: ReadonlySet<string>): Promise<string[]> {
  const paths = (await readdir(folder)).map((entry) => join(folder, entry));
  return paths.filter((path) => path.startsWith(prefix) && !listed.has(path.replace(TEMP_FILE, COPY)));
}

/** Deletes a copy or temporary file now, or when the copy is no longer in use. */
function evict(copies: Map<string, Copy>, path: string): void {
  const copy = copies.get(path.replace(TEMP_FILE, COPY));
  if (copy === undefined || copy.users === 0) remove(copies, path);
  else copy.unlisted = true;
}

/** Synchronous, so that no caller can take the copy between choosing and deleting it. */
function remove(copies: Map<string, Copy>, path: string): void {
  rmSync(path, { force: true, recursive: true });
  copies.delete(path);
}

const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';

/** Marks the copies as unverified. @returns whether one of them changed on disk */
function invalidateVerification(taken: readonly Taken[]): boolean {
  const changed = taken.some(({ path, copy: { verified } }) => verified !== undefined && verified !== looksOf(path));
  for (const { copy } of taken) copy.verified = undefined;
  return changed;
}

/** Registers the files of an earlier process, even partial ones: verified on use, evicted when space is needed. */
async function openFolder(folder: string, copies: Map<string, Copy>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const left = await stat(path).catch(() => undefined);
    if (left !== undefined) copies.set(path, { bytes: left.size, users: 0, verified: undefined });
  }
}

/** Changes whenever another process modifies the file; undefined when it is missing. */
function looksOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}

/** Stores an intact copy at `path` by renaming, so that a crash never leaves a partial copy there. */
async function store(file: CachedFile, path: string, fetch: Fetch): Promise<void> {
  const left = await readFile(path).catch(() => undefined);
  if (left !== undefined && isIntact(left, file)) return;
  const bytes = await fetch(file);
  if (!isIntact(bytes, file)) throw new Error(`The fact file ${file.name} is damaged.`);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, bytes);
    await rename(draft, path);
  } catch (cause) {
    // Don't leave temporary files on a full disk.
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
