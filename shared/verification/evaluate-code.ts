import {
  addFailedAttempt,
  type FieldValueRef,
  type IssuedCode,
  isSameFieldValue,
  markVerified,
  recognizableCodes,
  type VerificationState,
  verifiedAtMs,
} from './verification-state.ts';

/** One check of a code. */
export type CodeAttempt = {
  /** Whether the digits are the code's, compared in constant time. */
  matches(code: IssuedCode): boolean;
  /** The lead's contact fields that hold something; the one that a send goes to by default first. */
  contacts: readonly FieldValueRef[];
  nowMs: number;
  /** When the request arrived, by the gateway's clock. */
  receivedAtMs: number;
  /** The request has already met the lead without the verification that it meets now. */
  isRetry: boolean;
};

export type CodeEvaluation =
  | { outcome: 'right'; contact: FieldValueRef; next: VerificationState }
  | { outcome: 'already_verified'; contact: FieldValueRef }
  /** Another check of the same moment has used the code. */
  | { outcome: 'used_meanwhile' }
  | { outcome: 'locked'; untilMs: number }
  /** `guessed`: the contacts with an outstanding code. The wrong check counts against their destinations. */
  | {
      outcome: 'wrong';
      code: 'code_invalid' | 'code_expired';
      guessed: readonly FieldValueRef[];
      next: VerificationState;
    };

/**
 * What a check means for a lead. Nothing of it may be told before `next` is stored: storing it is what counts the
 * attempt, and what makes a code be used once.
 */
export function evaluateCode(state: VerificationState, attempt: CodeAttempt): CodeEvaluation {
  const { contacts, nowMs } = attempt;
  const bound = recognizableCodes(state, nowMs).filter((code) =>
    contacts.some((contact) => isSameFieldValue(contact, code)),
  );
  const outstanding = bound.filter(({ expiresAtMs }) => nowMs < expiresAtMs);
  const subject = contacts.find(({ field }) => field === state.lastSentTo) ?? contacts[0];

  const atMs = outstanding.length > 0 || subject === undefined ? undefined : verifiedAtMs(state, subject);
  if (subject !== undefined && atMs !== undefined) {
    const cameLater = attempt.receivedAtMs > atMs && !attempt.isRetry;
    return cameLater ? { outcome: 'already_verified', contact: subject } : { outcome: 'used_meanwhile' };
  }
  if (nowMs < state.lockedUntilMs) return { outcome: 'locked', untilMs: state.lockedUntilMs };

  const matching = bound.filter(attempt.matches);
  const right = matching.find((code) => outstanding.includes(code));
  if (right !== undefined) return { outcome: 'right', contact: right, next: markVerified(state, right, nowMs) };
  return {
    outcome: 'wrong',
    code: matching.length > 0 ? 'code_expired' : 'code_invalid',
    // Without a message to a destination, a wrong check must not use up that destination's wrong checks of the day.
    guessed: outstanding,
    next: addFailedAttempt(state, nowMs),
  };
}
