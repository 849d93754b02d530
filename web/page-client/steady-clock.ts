/**
 * Creates a clock of milliseconds since 1970 that never goes back. Each reading adds the larger advance of two clocks:
 * the time of day counts a sleep of the device, which `performance.now()` leaves out in some browsers, and
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
