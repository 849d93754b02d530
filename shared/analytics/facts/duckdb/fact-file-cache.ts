import { createHash, randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onceAsync } from '../../../platform/once.ts';
import type { FactFile } from '../fact-files.ts';

type CachedFile = Pick<FactFile, 'name' | 'bytes' | 'sha256'>;
type Fetch = (file: CachedFile) => Promise<Uint8Array>;

/** Local copies of fact files in one folder, the least recently used making room for others. */
export type FactFileCache = {
  /** Runs `use` with the paths of local copies, which stay until it settles; again, once, if they did not stay. */
  withCopies<T>(files: readonly CachedFile[], use: (paths: string[]) => Promise<T>): Promise<T>;
  /** Removes whatever the folder has of a funnel's other files; what is in use, when it is not any more. */
  evictExcept(funnelId: string, files: readonly Pick<CachedFile, 'name'>[]): Promise<void>;
};

type Copy = {
  bytes: number;
  users: number;
  /** What the intact copy looked like from outside; undefined: it has to be verified. */
  verified: string | undefined;
  /** No manifest lists the file any more. */
  unlisted?: boolean;
  storing?: Promise<void> | undefined;
};

/** What the names of copies end with, and those of drafts that become one. */
const COPY = '.parquet';
const DRAFT = /\.parquet\.[^./]+$/;

type Taken = { file: CachedFile; path: string; copy: Copy };

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/**
 * @param bytesMax what the copies may take together, apart from those in use
 * @param fetch answers the bytes of a file of which there is no local copy
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
    // To the end of all: what is still being stored must not be forgotten by then.
    const ensured = await Promise.allSettled(taken.map(({ file, copy }) => ensure(file, copy)));
    for (const one of ensured) if (one.status === 'rejected') throw one.reason;
    return use(taken.map(({ path }) => path));
  };
  return {
    withCopies: async (files, use) => {
      await open();
      const taken = files.map((file) => ({ file, path: pathOf(file), copy: take(file) }));
      try {
        return await attempt(taken, use).catch((cause: unknown) => {
          // Somebody cleaned the folder meanwhile, perhaps another reader that keeps its copies there.
          if (doubt(taken) || isMissing(cause)) return attempt(taken, use);
          throw cause;
        });
      } finally {
        for (const { file, copy } of taken) release(file, copy);
      }
    },
    evictExcept: async (funnelId, files) => {
      await open();
      const ofFunnel = pathOf({ name: `${funnelId}/` }).slice(0, -COPY.length);
      for (const path of await unlistedIn(folder, ofFunnel, new Set(files.map(pathOf)))) letGo(copies, path);
    },
  };
}

/** Looks at the folder itself: another reader may keep its copies there too. The draft of a listed file is being written. */
async function unlistedIn(folder: string, prefix: string, listed: ReadonlySet<string>): Promise<string[]> {
  const paths = (await readdir(folder)).map((entry) => join(folder, entry));
  return paths.filter((path) => path.startsWith(prefix) && !listed.has(path.replace(DRAFT, COPY)));
}

/** Removes a copy or a draft now, or as soon as nobody uses the copy. */
function letGo(copies: Map<string, Copy>, path: string): void {
  const copy = copies.get(path.replace(DRAFT, COPY));
  if (copy === undefined || copy.users === 0) remove(copies, path);
  else copy.unlisted = true;
}

/** Synchronous: between choosing a copy and removing it nobody may take it. */
function remove(copies: Map<string, Copy>, path: string): void {
  rmSync(path, { force: true, recursive: true });
  copies.delete(path);
}

const isMissing = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';

/** Forgets that copies were found intact. @returns whether one is not any more what it was */
function doubt(taken: readonly Taken[]): boolean {
  const changed = taken.some(({ path, copy: { verified } }) => verified !== undefined && verified !== looksOf(path));
  for (const { copy } of taken) copy.verified = undefined;
  return changed;
}

/** Counts what an earlier process left, also halves of copies: verified when it is used, removed when room is needed. */
async function openFolder(folder: string, copies: Map<string, Copy>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const left = await stat(path).catch(() => undefined);
    if (left !== undefined) copies.set(path, { bytes: left.size, users: 0, verified: undefined });
  }
}

/** Changes whenever somebody else touches the file; undefined when there is none. */
function looksOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}

/** Leaves an intact copy at `path`, by renaming: a crash never leaves half a copy under that path. */
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
    // A full disk must not stay full of drafts that nobody counts.
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
