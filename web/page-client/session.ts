import type { Attribution } from './attribution.ts';

export type Session = { id: string; lastMs: number; attribution: Attribution };

const IDLE_MS = 30 * 60_000;

/**
 * Continues the session. If there is none, or after 30 minutes without an event, starts a new session with the given
 * attribution. Also starts a new session if the clock was moved back so that the last event is 30 minutes or more in
 * the future.
 *
 * @param nextId id of the new session, if a session starts
 */
export const continueSession = (
  session: Session | undefined,
  nowMs: number,
  attribution: Attribution,
  nextId: string,
): Session =>
  session !== undefined && Math.abs(nowMs - session.lastMs) < IDLE_MS
    ? { ...session, lastMs: nowMs }
    : { id: nextId, lastMs: nowMs, attribution };
