import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, FriendlyError } from './friendly-error.ts';

export const LOCK_FILE = 'lock';

/**
 * Claims the folder for this process and returns what gives it back. A lock left by a killed runtime is taken over.
 *
 * @throws FriendlyError while another runtime holds it
 */
export function takeLock(folder: string): () => void {
  const file = join(folder, LOCK_FILE);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const holder = Number(readFileSync(file, 'utf8'));
    if (runs(holder)) break;
    rmSync(file, { force: true });
  }
  throw new FriendlyError(
    `Tributary already runs with the state in ${folder}: end it first, or start beside it with --state and --port.`,
  );
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
