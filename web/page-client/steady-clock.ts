/**
 * Creates a clock of milliseconds since 1970 that never goes back. Each reading adds the time that has passed by
 * `performance.now()` or by `Date.now()`, whichever is longer. In some browsers, `performance.now()` stops while the
 * device sleeps. `Date.now()` goes back if the visitor changes the time.
 */
export function createSteadyClock(): () => number {
  let wallMs = Date.now();
  let monotonicMs = performance.now();
  let nowMs = wallMs;
  return () => {
    const [beforeWallMs, beforeMonotonicMs] = [wallMs, monotonicMs];
    wallMs = Date.now();
    monotonicMs = performance.now();
    nowMs += Math.max(wallMs - beforeWallMs, monotonicMs - beforeMonotonicMs);
    return nowMs;
  };
}
