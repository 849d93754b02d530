/**
 * Milliseconds since 1970 that never go back. The time of day counts a sleep of the device, which `performance.now()`
 * leaves out in some browsers; and `performance.now()` goes on when the visitor moves the clock back.
 */
export function createSteadyClock(): () => number {
  let [dayMs, pageMs] = [Date.now(), performance.now()];
  let nowMs = dayMs;
  return () => {
    const [newDayMs, newPageMs] = [Date.now(), performance.now()];
    nowMs += Math.max(newDayMs - dayMs, newPageMs - pageMs);
    [dayMs, pageMs] = [newDayMs, newPageMs];
    return nowMs;
  };
}
