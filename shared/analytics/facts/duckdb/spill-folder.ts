import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns a path for a new spill folder. The DuckDB instance creates and deletes the folder. Instances must not share a
 * folder, because they use the same file names and would read each other's rows. Also deletes the spill folders of dead
 * processes.
 */
export async function prepareSpillFolder(within = join(tmpdir(), 'duckdb-spill')): Promise<string> {
  await mkdir(within, { recursive: true });
  await removeFoldersOfDeadProcesses(within);
  return join(within, `${process.pid}-${randomUUID()}`);
}

/** Keeps the entries whose names begin with the id of a running process, and deletes all others. */
export async function removeFoldersOfDeadProcesses(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    // An entry that can't be deleted belongs to another user, and is kept.
    if (!isAlive(Number.parseInt(name, 10)))
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
