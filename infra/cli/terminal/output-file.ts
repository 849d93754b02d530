import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { notWritable } from '../../common/user-error.ts';
import { withCleanUp } from './interrupts.ts';
import type { Terminal } from './terminal.ts';

export type Write = (text: string) => Promise<void>;

/** The file may hold personal data. */
const OWNER_ONLY = 0o600;

/**
 * Calls `work` with a function that writes to the file, or to stdout without one. The file appears when it is complete:
 * until then it has a temporary name, and an existing file is kept. Pipes and devices are written to directly.
 *
 * @throws UserError when the file cannot be written
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
    // A unique name, so that two concurrent exports to one file don't mix.
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

/** A failure of the file, not of `work`. */
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
