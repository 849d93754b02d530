import { readdir, readFile } from 'node:fs/promises';

type Process = { pid: number; parent: number; bytes: number };

/** Returns the resident memory of a process and all its descendants in bytes. Reads `/proc`, so it needs Linux. */
export const residentBytes = async (rootPid: number): Promise<number> =>
  (await descendants(rootPid)).reduce((sum, { bytes }) => sum + bytes, 0);

/** Returns a process and all its descendants. Reads `/proc`, so it needs Linux. */
export async function descendants(rootPid: number): Promise<Process[]> {
  const processes = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(statusOf));
  const family = new Set([rootPid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { pid, parent } of processes) {
      if (family.has(parent) && !family.has(pid)) grown = Boolean(family.add(pid));
    }
  }
  return processes.filter(({ pid }) => family.has(pid));
}

async function statusOf(pid: string): Promise<Process> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return { pid: Number(pid), parent: number('PPid'), bytes: number('VmRSS') * 1024 };
}
