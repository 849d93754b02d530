import type { Attribution } from './attribution.ts';

export type Session = { id: string; lastMs: number; attribution: Attribution };

const IDLE_MS = 30 * 60_000;

/**
 * Continues the session, or starts a new session with this attribution after 30 minutes of idleness. A clock that was
 * moved back by 30 minutes also starts a new session. Otherwise the session could not end before the clock has caught
 * up.
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
