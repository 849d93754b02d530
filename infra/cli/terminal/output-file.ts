import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { notWritable } from '../../common/user-error.ts';
import { withCleanUp } from './interrupts.ts';
import type { Terminal } from './terminal.ts';

export type Write = (text: string) => Promise<void>;

/** Mode of the file. The file may contain personal data. */
const OWNER_ONLY = 0o600;

/**
 * Calls `work` with a function that writes to the file `out`, or to stdout if `out` is undefined. The output goes to a
 * temporary file. After `work`, this file is renamed to `out` and replaces an existing file. If `work` fails, the
 * temporary file is deleted. If `out` is a pipe or a device, the output goes directly to it.
 *
 * @throws UserError if the file cannot be written
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
    // The name is unique, so that the outputs of two concurrent commands with the same file don't mix.
    const draft = `${path}.${randomUUID().slice(0, 8)}.part`;
    const removeDraft = () => rm(draft, { force: true });
    await withCleanUp(terminal.onInterrupt, removeDraft, () =>
      writeTo(draft, 'wx', work)
        .then(() => onFile(() => rename(draft, path)))
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

/** An error of the file system, as opposed to an error of `work`. */
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
