import type { FieldValueRef } from '../leads/field-value-hash.ts';
import {
  addFailedAttempt,
  type IssuedCode,
  isSameFieldValue,
  markVerified,
  recognizableCodes,
  type VerificationState,
  verifiedAtMs,
} from './verification-state.ts';

export type CodeAttempt = {
  /** Whether the submitted digits are those of the code. `check-code.ts` compares them in constant time. */
  matches(code: IssuedCode): boolean;
  /** Contact fields of the lead that have a value, in the order of `findContactFields`. */
  contacts: readonly FieldValueRef[];
  nowMs: number;
  /** When the gateway received the request. */
  receivedAtMs: number;
  /** Whether this request has already evaluated an earlier state of the lead. */
  isRetry: boolean;
};

export type CodeEvaluation =
  | { outcome: 'correct'; contact: FieldValueRef; next: VerificationState }
  | { outcome: 'already_verified'; contact: FieldValueRef }
  /** A concurrent check has verified the value, so its codes can't be used any more. */
  | { outcome: 'used_concurrently' }
  | { outcome: 'locked'; untilMs: number }
  /**
   * `guessed`: the contacts with an active code. The failed attempt uses up one daily attempt of each of their
   * destinations.
   */
  | {
      outcome: 'wrong';
      code: 'code_invalid' | 'code_expired';
      guessed: readonly FieldValueRef[];
      next: VerificationState;
    };

/**
 * Evaluates a code against the state of a lead. If the result has a `next`, store `next` before you reveal the outcome.
 * This write counts the attempt and makes the code single-use.
 */
export function evaluateCode(state: VerificationState, attempt: CodeAttempt): CodeEvaluation {
  const { contacts, nowMs } = attempt;
  const codes = recognizableCodes(state, nowMs).filter((code) =>
    contacts.some((contact) => isSameFieldValue(contact, code)),
  );
  const active = codes.filter(({ expiresAtMs }) => nowMs < expiresAtMs);
  const subject = contacts.find(({ field }) => field === state.lastSentTo) ?? contacts[0];

  const atMs = active.length > 0 || subject === undefined ? undefined : verifiedAtMs(state, subject);
  if (subject !== undefined && atMs !== undefined) {
    const isLater = attempt.receivedAtMs > atMs && !attempt.isRetry;
    return isLater ? { outcome: 'already_verified', contact: subject } : { outcome: 'used_concurrently' };
  }
  if (nowMs < state.lockedUntilMs) return { outcome: 'locked', untilMs: state.lockedUntilMs };

  const matching = codes.filter(attempt.matches);
  const correct = matching.find((code) => active.includes(code));
  if (correct !== undefined) return { outcome: 'correct', contact: correct, next: markVerified(state, correct, nowMs) };
  return {
    outcome: 'wrong',
    code: matching.length > 0 ? 'code_expired' : 'code_invalid',
    // A destination without an active code loses no daily attempt. Otherwise strangers could lock out its owner, who
    // never received a message.
    guessed: active,
    next: addFailedAttempt(state, nowMs),
  };
}
