import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { notWritable } from '../../common/user-error.ts';
import { withCleanUp } from './interrupts.ts';
import type { Terminal } from './terminal.ts';

export type Write = (text: string) => Promise<void>;

/** Personal data. */
const OWNER_ONLY = 0o600;

/**
 * Gives the work a file to write to, or the terminal when there is none. A file is there when it is whole: until then it
 * has another name, and an earlier one of its name stays. What is no file, a pipe or a device, is written as it comes.
 *
 * @throws FriendlyError when the file can not be written
 */
export async function withOutputFile(
  out: string | undefined,
  terminal: Terminal,
  work: (write: Write) => Promise<void>,
) {
  if (out === undefined) return work(terminal.write);
  const existing = await stat(out).catch(() => undefined);
  try {
    if (existing !== undefined && !existing.isFile()) return await writeTo(out, 'w', work);
    const path = existing === undefined ? out : await realpath(out);
    // A name of its own, so that two exports into one file at once do not write into each other.
    const draft = `${path}.${randomUUID().slice(0, 8)}.part`;
    const removeDraft = () => rm(draft, { force: true });
    await withCleanUp(terminal.onInterrupt, removeDraft, () =>
      writeTo(draft, 'wx', work)
        .then(() => rename(draft, path))
        .catch(async (error: unknown) => {
          await removeDraft();
          throw error;
        }),
    );
  } catch (error) {
    if (error instanceof FileFailure) {
      throw notWritable(out, error.cause);
    }
    throw error;
  }
}

/** A failure of the file, not of the work that fills it. */
class FileFailure extends Error {}

async function writeTo(path: string, flag: 'w' | 'wx', work: (write: Write) => Promise<void>): Promise<void> {
  const file = await onFile(() => open(path, flag, OWNER_ONLY));
  try {
    await work((text) => onFile(() => file.appendFile(text)));
  } finally {
    await onFile(() => file.close());
  }
}

async function onFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new FileFailure('', { cause });
  }
}
