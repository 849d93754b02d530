/**
 * Milliseconds since 1970 that never go back. The time of day counts a sleep of the device, which `performance.now()`
 * leaves out in some browsers; and `performance.now()` goes on when the visitor moves the clock back.
 */
export function createSteadyClock(): () => number {
  let dayMs = Date.now();
  let pageMs = performance.now();
  let nowMs = dayMs;
  return () => {
    const [beforeDayMs, beforePageMs] = [dayMs, pageMs];
    dayMs = Date.now();
    pageMs = performance.now();
    nowMs += Math.max(dayMs - beforeDayMs, pageMs - beforePageMs);
    return nowMs;
  };
}
