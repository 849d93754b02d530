import { setImmediate as tick } from 'node:timers/promises';

/** A clock that moves to the next timer when nothing else is left to do. */
export function simulateTime(clock: { ms: number }) {
  let timers: { atMs: number; resolve(): void }[] = [];
  const wait = (ms: number) => new Promise<void>((resolve) => timers.push({ atMs: clock.ms + ms, resolve }));
  const run = async (work: Promise<unknown>) => {
    let isOver = false;
    const ended = work.finally(() => (isOver = true));
    for (await tick(); !isOver; await tick()) {
      const nextMs = Math.min(...timers.map(({ atMs }) => atMs));
      const due = timers.filter(({ atMs }) => atMs <= nextMs);
      timers = timers.filter(({ atMs }) => atMs > nextMs);
      clock.ms = nextMs;
      for (const { resolve } of due) resolve();
    }
    await ended;
  };
  return { wait, run };
}
