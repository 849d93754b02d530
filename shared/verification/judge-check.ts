import {
  type Contact,
  countWrong,
  type IssuedCode,
  isSame,
  recognised,
  type VerificationState,
  verifiedAtMs,
  verify,
} from './verification-state.ts';

/** One check of a code. */
export type Attempt = {
  /** Whether the digits are the code's, compared in constant time. */
  isOf(code: IssuedCode): boolean;
  /** The lead's contact fields that hold something; the one that a send goes to by default first. */
  contacts: readonly Contact[];
  nowMs: number;
  /** When the request arrived, by the gateway's clock. */
  arrivedAtMs: number;
  /** The request has already met the lead without the verification that it meets now. */
  hasWaited: boolean;
};

export type Judgement =
  | { outcome: 'right'; contact: Contact; next: VerificationState }
  | { outcome: 'already_verified'; contact: Contact }
  /** Another check of the same moment has used the code. */
  | { outcome: 'used_meanwhile' }
  | { outcome: 'locked'; untilMs: number }
  /** `guessed`: the contacts with an outstanding code. The wrong check counts against their destinations. */
  | { outcome: 'wrong'; code: 'code_invalid' | 'code_expired'; guessed: readonly Contact[]; next: VerificationState };

/**
 * What a check means for a lead. Nothing of it may be told before `next` is stored: storing it is what counts the
 * attempt, and what makes a code be used once.
 */
export function judgeCheck(state: VerificationState, attempt: Attempt): Judgement {
  const { contacts, nowMs } = attempt;
  const bound = recognised(state, nowMs).filter((code) => contacts.some((contact) => isSame(contact, code)));
  const outstanding = bound.filter(({ expiresAtMs }) => nowMs < expiresAtMs);
  const subject = contacts.find(({ field }) => field === state.lastSentTo) ?? contacts[0];

  const atMs = outstanding.length > 0 || subject === undefined ? undefined : verifiedAtMs(state, subject);
  if (subject !== undefined && atMs !== undefined) {
    const cameLater = attempt.arrivedAtMs > atMs && !attempt.hasWaited;
    return cameLater ? { outcome: 'already_verified', contact: subject } : { outcome: 'used_meanwhile' };
  }
  if (nowMs < state.lockedUntilMs) return { outcome: 'locked', untilMs: state.lockedUntilMs };

  const matching = bound.filter(attempt.isOf);
  const right = matching.find((code) => outstanding.includes(code));
  if (right !== undefined) return { outcome: 'right', contact: right, next: verify(state, right, nowMs) };
  return {
    outcome: 'wrong',
    code: matching.length > 0 ? 'code_expired' : 'code_invalid',
    // Without a message to a destination, a wrong check must not use up that destination's wrong checks of the day.
    guessed: outstanding,
    next: countWrong(state, nowMs),
  };
}
