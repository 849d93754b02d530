import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, UserError } from '../../common/user-error.ts';

export const LOCK_FILE = 'lock';

/**
 * Time between creating the lock file and reading it again. Another process that has just read the lock of a killed
 * runtime may remove the new file instead. It does so within this time.
 */
const SETTLE_MS = 100;

/**
 * Locks the folder for this process and returns a function that releases the lock. Replaces the lock of a killed
 * runtime. If two processes do this at the same time, one can remove the new lock of the other. Therefore, this
 * function reads the file again after `SETTLE_MS`. The lock counts only if the file still contains the id of this
 * process.
 *
 * @throws UserError if another runtime holds the lock, or gets it at the same time
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

/** Returns the process id in a lock file; NaN if the file does not exist. */
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

/**
 * Whether a runtime with this process id is running. After a kill, the system may reuse the id for another program.
 * Only `/proc` of Linux shows which program has the id. If `/proc` is missing or the process belongs to another
 * user, the process counts as a runtime.
 */
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
