import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, notReadable, notWritable, UserError } from '../../common/user-error.ts';
import { type OnInterrupt, withCleanUp } from '../terminal/interrupts.ts';
import type { PersonFile } from './export-person.ts';

/** Modes of the folders and files. They contain personal data, so only their owner may read them. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/**
 * Writes files into a new folder. The folder has a temporary name until it is complete, and is removed on failure.
 *
 * @throws UserError if `out` is a file, a folder with entries, or a path that cannot be written
 */
export async function writeFolder(
  out: string,
  files: AsyncIterable<PersonFile>,
  onInterrupt: OnInterrupt | undefined,
): Promise<void> {
  const path = resolve(out);
  await refuseTaken(path, out);
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  const removeDraft = () => rm(draft, { recursive: true, force: true });
  try {
    await withCleanUp(onInterrupt, removeDraft, async () => {
      await onDisk(out, () => mkdir(draft, { mode: OWNER_ONLY.folder }));
      for await (const { name, content } of files) await writeFile(out, join(draft, name), content);
      await onDisk(out, () => rename(draft, path));
    });
  } catch (error) {
    await removeDraft();
    throw error;
  }
}

async function refuseTaken(path: string, out: string): Promise<void> {
  const there = await readdir(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    if (errorCode(error) !== 'ENOTDIR') throw notReadable(out, error);
    throw new UserError(`${out} is not a folder: name a new folder with --out.`, { cause: error });
  });
  if (there.length > 0) throw new UserError(`${out} is not empty: name a new folder with --out.`);
}

async function writeFile(out: string, path: string, content: PersonFile['content']): Promise<void> {
  await onDisk(out, () => mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY.folder }));
  const file = await onDisk(out, () => open(path, 'wx', OWNER_ONLY.file));
  try {
    for await (const part of content) await onDisk(out, () => file.appendFile(part));
  } finally {
    await file.close();
  }
}

/** Runs a disk operation. If the operation fails, throws a UserError that says that `out` cannot be written. */
async function onDisk<T>(out: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw notWritable(out, cause);
  }
}
