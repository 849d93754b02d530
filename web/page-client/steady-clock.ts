/**
 * Milliseconds since 1970 that never go back. The time of day counts a sleep of the device, which `performance.now()`
 * leaves out in some browsers; and `performance.now()` goes on when the visitor moves the clock back.
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
