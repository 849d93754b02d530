const BATCHES = 2;
/** Minimum CPU time of a batch. It is long, because the clock of CPU time advances in steps of a few milliseconds. */
const BATCH_MS = 40;

/** Linear growth stays below this ratio. Quadratic growth exceeds this ratio. */
export const LINEAR_GROWTH_MAX = 9;

/**
 * Returns how many times more CPU time `work` takes for an input of four times the size: about 4 in linear time, and 16
 * in quadratic time. Uses the faster of two batches, because the first batch also compiles the code.
 *
 * @param make creates an input of about this many characters
 */
export function growthOf(make: (size: number) => string, work: (text: string) => unknown, size: number): number {
  const fastest = [size, 4 * size].map((characters) => ({ text: make(characters), ms: Number.POSITIVE_INFINITY }));
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const input of fastest) input.ms = Math.min(input.ms, cpuMsOf(work, input.text));
  }
  const [small, large] = fastest;
  return (large?.ms ?? 0) / (small?.ms ?? 0);
}

/** Returns the CPU time of one run, which does not depend on other load of the machine. */
function cpuMsOf(work: (text: string) => unknown, text: string): number {
  const start = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    work(text);
    const { user, system } = process.threadCpuUsage(start);
    const ms = (user + system) / 1_000;
    if (ms >= BATCH_MS) return ms / runs;
  }
}
