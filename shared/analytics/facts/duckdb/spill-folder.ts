import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder for what an instance of DuckDB does not hold in memory; DuckDB makes it and takes it away. Each instance needs
 * one of its own: all give equal names to such files and would read each other's rows. What killed processes left goes.
 */
export async function createSpillFolder(within = join(tmpdir(), 'duckdb-spill')): Promise<string> {
  await mkdir(within, { recursive: true });
  await removeFoldersOfDeadProcesses(within);
  return join(within, `${process.pid}-${randomUUID()}`);
}

/** Removes what is named after processes that are not there any more: names begin with their numbers. */
export async function removeFoldersOfDeadProcesses(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    // What can not be removed is somebody else's.
    if (!isAlive(Number.parseInt(name, 10)))
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, and is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
