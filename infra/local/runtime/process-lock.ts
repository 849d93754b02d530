import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, UserError } from '../friendly-error.ts';

export const LOCK_FILE = 'lock';

/** Longer than it takes another starter to remove a stale lock that it has read. */
const SETTLE_MS = 100;

/**
 * Claims the folder for this process and returns what gives it back. A lock left by a killed runtime is taken over; of
 * several that do so at once, each removing what it takes for stale, the one that is named in the end holds it.
 *
 * @throws FriendlyError while another runtime holds it
 */
export async function acquireProcessLock(folder: string): Promise<() => void> {
  const file = join(folder, LOCK_FILE);
  for (let attempt = 0; attempt < 2; attempt++) {
    if (write(file)) {
      await delay(SETTLE_MS);
      if (holderOf(file) === process.pid) return () => release(file);
      break;
    }
    if (runs(holderOf(file))) break;
    rmSync(file, { force: true });
  }
  throw new UserError(
    `Tributary already runs with the state in ${folder}: end it first, or start beside it with --state and --port.`,
  );
}

/** Whether a runtime lives in the folder. */
export const isLockHeld = (folder: string): boolean => runs(holderOf(join(folder, LOCK_FILE)));

/** False when there is a lock already. */
function write(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The process that a lock names; NaN when it was removed meanwhile. */
function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Number.NaN;
    throw error;
  }
}

function release(file: string): void {
  if (holderOf(file) === process.pid) rmSync(file, { force: true });
}

/** Whether a process of this number lives and is a runtime: after a kill the number may have gone to another program. */
function runs(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  if (!existsSync('/proc/self/cmdline')) return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('start.ts');
  } catch {
    return false;
  }
}
