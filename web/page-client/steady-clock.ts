/**
 * Creates a clock of milliseconds since 1970 that never goes back. Each reading adds the larger advance of two clocks.
 * `Date.now()` includes the time for which the device sleeps, which `performance.now()` leaves out in some browsers.
 * `performance.now()` goes on when the visitor moves the time of day back.
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
