import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';

export type Cost = { cpuMs: number; grownBytes: number };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Samples the size of the process in a separate thread, because the measured work blocks this thread. */
const SAMPLER = `
  const { workerData } = require('node:worker_threads');
  const [state, peak] = [new Int32Array(workerData, 0, 2), new Float64Array(workerData, 8, 1)];
  while (Atomics.load(state, 0) === 0) {
    peak[0] = Math.max(peak[0], process.memoryUsage.rss());
    Atomics.store(state, 1, 1);
    Atomics.wait(state, 0, 0, 2);
  }`;

/** Measures the CPU time and memory of work, which other programs hardly change. @param work sync or async function */
export async function measured(work: () => unknown): Promise<Cost> {
  const shared = new SharedArrayBuffer(16);
  const [state, peak] = [new Int32Array(shared, 0, 2), new Float64Array(shared, 8, 1)];
  const sampler = new Worker(SAMPLER, { eval: true, workerData: shared });
  const ended = new Promise((resolve) => sampler.once('exit', resolve));
  while (Atomics.load(state, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  collectGarbage();
  const before = process.memoryUsage.rss();
  peak[0] = before;
  const start = process.cpuUsage();
  try {
    await work();
    const { user, system } = process.cpuUsage(start);
    return { cpuMs: (user + system) / 1_000, grownBytes: Math.max(peak[0] ?? 0, process.memoryUsage.rss()) - before };
  } finally {
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
    await ended;
  }
}
