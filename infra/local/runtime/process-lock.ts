import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, UserError } from '../../common/user-error.ts';

export const LOCK_FILE = 'lock';

/** Longer than another starting process needs to remove a stale lock after reading it. */
const SETTLE_MS = 100;

/**
 * Locks the folder for this process and returns a function that releases the lock. Replaces the lock of a killed
 * runtime. If several processes do that at the same time, each may remove a lock that it considers stale; the process
 * whose id is in the file at the end holds the lock.
 *
 * @throws UserError if another runtime holds the lock
 */
export async function acquireProcessLock(folder: string): Promise<() => void> {
  const file = join(folder, LOCK_FILE);
  for (let attempt = 0; attempt < 2; attempt++) {
    if (createLockFile(file)) {
      await delay(SETTLE_MS);
      if (readHolder(file) === process.pid) return () => release(file);
      break;
    }
    if (isRuntime(readHolder(file))) break;
    rmSync(file, { force: true });
  }
  throw new UserError(
    `Tributary is already running with the state in ${folder}. Stop it first, or start another instance with --state and --port.`,
  );
}

/** Whether a runtime is running with this state folder. */
export const isLockHeld = (folder: string): boolean => isRuntime(readHolder(join(folder, LOCK_FILE)));

/** Returns false if the file exists. */
function createLockFile(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The process id in a lock file; NaN if the file was removed in the meantime. */
function readHolder(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Number.NaN;
    throw error;
  }
}

function release(file: string): void {
  if (readHolder(file) === process.pid) rmSync(file, { force: true });
}

/** Whether a process with this id exists and is a runtime: after a kill, the system may reuse the id. */
function isRuntime(pid: number): boolean {
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
