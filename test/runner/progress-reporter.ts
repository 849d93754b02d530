import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';

const INTERVAL_MS = 30_000;

/**
 * Prints every 30 seconds how many test files have ended, and an estimate of the time left. The estimate uses the
 * durations of the last run, scaled by the speed of this run. For a file that never ran, the estimate uses the average
 * duration in this run.
 */
export default class ProgressReporter implements Reporter {
  #vitest: Vitest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedMs = 0;
  readonly #expectedMs = new Map<string, number | undefined>();
  #files = 0;
  #doneExpectedMs = 0;
  #doneMs = 0;
  #passed = 0;
  #failed = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#startedMs = Date.now();
    this.#files = specifications.length;
    for (const one of specifications)
      this.#expectedMs.set(one.moduleId, this.#vitest?.cache.getTestSpecificationResult(one)?.duration);
    console.log(`Running the tests of ${this.#files} files …`);
    this.#timer = setInterval(() => console.log(this.#describe()), INTERVAL_MS).unref();
  }

  onTestModuleEnd(module: TestModule): void {
    const { duration } = module.diagnostic();
    this.#doneMs += duration;
    this.#doneExpectedMs += this.#expectedMs.get(module.moduleId) ?? duration;
    this.#expectedMs.delete(module.moduleId);
    for (const test of module.children.allTests()) {
      if (test.result().state === 'passed') this.#passed++;
      if (test.result().state === 'failed') this.#failed++;
    }
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  #describe(): string {
    const done = this.#files - this.#expectedMs.size;
    const elapsedMs = Date.now() - this.#startedMs;
    const counts = `${done} of ${this.#files} files, ${this.#passed} tests passed, ${this.#failed} failed`;
    const left = remainingMs([...this.#expectedMs.values()], {
      files: done,
      elapsedMs,
      durationMs: this.#doneMs,
      expectedMs: this.#doneExpectedMs,
    });
    return `… ${counts}; ${minutes(elapsedMs)}, ${left === undefined ? 'time left unknown' : `about ${minutes(left)} left`}`;
  }
}

type Done = { files: number; elapsedMs: number; durationMs: number; expectedMs: number };

/**
 * Estimates the time left from the expected durations of the remaining files. Returns undefined if no file has ended,
 * or if most of the remaining files never ran. For many such files, the estimate would be too long: the slow files run
 * first, so the average of this run is too high.
 */
export function remainingMs(left: readonly (number | undefined)[], done: Done): number | undefined {
  const unknown = left.filter((one) => one === undefined).length;
  if (done.files === 0 || done.durationMs === 0 || unknown > left.length / 2) return undefined;
  const averageMs = done.durationMs / done.files;
  const slower = done.durationMs / Math.max(1, done.expectedMs);
  const durationMs = left.reduce<number>((sum, one) => sum + (one === undefined ? averageMs : one * slower), 0);
  return durationMs * (done.elapsedMs / done.durationMs);
}

const minutes = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')} min`;
