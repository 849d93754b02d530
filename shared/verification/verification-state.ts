import * as z from 'zod/mini';
import { FieldValueRef, VerifiedFieldValue } from '../leads/field-value-hash.ts';

/** How long a code is valid. */
export const CODE_MINUTES = 10;
const CODE_MS = CODE_MINUTES * 60_000;
/** How long an expired code is kept, so that its digits are reported as expired instead of invalid. */
const EXPIRED_CODE_TTL_MS = 24 * 60 * 60_000;
/** The codes of the last sends, up to this number, are accepted, because messages can arrive late. */
export const ACTIVE_CODES_MAX = 3;
/** Failed attempts before the lockout. */
export const FAILED_ATTEMPTS_MAX = 5;
export const LOCKOUT_SECONDS = 600;
/** Maximum number of verified values that are stored, to bound the size of the state. The latest ones are kept. */
const VERIFIED_VALUES_MAX = 10;

/**
 * The time of verification that is stored is this much later than the successful check, and the response is sent after
 * that time. A check that was in flight when the code was used is therefore received before the stored time, and a
 * check that is sent after the response is received after it, even if the clocks of gateway and function differ
 * slightly.
 */
export const VERIFICATION_DELAY_MS = 250;

/** A code that was sent to a field value. Only a keyed hash of its digits is stored. */
const IssuedCode = z.extend(FieldValueRef, { codeHash: z.string(), expiresAtMs: z.number() });
export type IssuedCode = z.infer<typeof IssuedCode>;

/**
 * The verification state stored on a lead. A verification is bound to the hash of a value: changing the value makes
 * the field unverified, and restoring the value makes it verified again.
 */
export const VerificationState = z.object({
  /** Random for each write, so that a writer recognizes its own write. */
  revision: z.string(),
  /** Codes of the last sends, latest last. */
  codes: z.array(IssuedCode),
  /** The field of the last send, including sends that were skipped because the value was verified. */
  lastSentTo: z.nullable(z.string()),
  /** Failed attempts since the last success or lockout. */
  wrong: z.number(),
  /** End of the lockout. If it is 0 or in the past, the lead is not locked. */
  lockedUntilMs: z.number(),
  verified: z.array(VerifiedFieldValue),
});
export type VerificationState = z.infer<typeof VerificationState>;

export const INITIAL_STATE: VerificationState = {
  revision: '',
  codes: [],
  lastSentTo: null,
  wrong: 0,
  lockedUntilMs: 0,
  verified: [],
};

export const isSameFieldValue = (one: FieldValueRef, other: FieldValueRef): boolean =>
  one.field === other.field && one.valueHash === other.valueHash;

/** When this value of the field was verified. Undefined if it is not verified. */
export const verifiedAtMs = ({ verified }: VerificationState, contact: FieldValueRef): number | undefined =>
  verified.find((known) => isSameFieldValue(known, contact))?.atMs;

/** Records a send that was skipped because the value is verified. The next check refers to this field. */
export const setLastSentTo = (state: VerificationState, field: string): VerificationState => ({
  ...state,
  lastSentTo: field,
});

/** Adds a code. The codes of earlier sends stay valid, up to the maximum. */
export function addCode(
  state: VerificationState,
  code: Omit<IssuedCode, 'expiresAtMs'>,
  nowMs: number,
): VerificationState {
  const codes = [...storedCodes(state, nowMs), { ...code, expiresAtMs: nowMs + CODE_MS }];
  return { ...state, codes: codes.slice(-ACTIVE_CODES_MAX), lastSentTo: code.field };
}

/**
 * Removes a code whose message was not delivered, and restores the code that it displaced.
 *
 * @param before the state to which the code was added
 */
export function revokeCode(state: VerificationState, codeHash: string, before: VerificationState): VerificationState {
  const revoked = state.codes.find((code) => code.codeHash === codeHash);
  if (revoked === undefined) return state;
  const others = state.codes.filter((code) => code !== revoked);
  const displaced = before.codes.filter((code) => others.every((other) => other.codeHash !== code.codeHash));
  return {
    ...state,
    codes: [...displaced, ...others].slice(-ACTIVE_CODES_MAX),
    lastSentTo: state.lastSentTo === revoked.field ? before.lastSentTo : state.lastSentTo,
  };
}

/** Codes that are not yet deleted: valid, expired within the last day, or used. */
const storedCodes = ({ codes }: VerificationState, nowMs: number): IssuedCode[] =>
  codes.filter(({ expiresAtMs }) => nowMs < expiresAtMs + EXPIRED_CODE_TTL_MS);

/** Stored codes, valid or expired, whose value is not verified. */
export const recognizableCodes = (state: VerificationState, nowMs: number): IssuedCode[] =>
  storedCodes(state, nowMs).filter((code) => verifiedAtMs(state, code) === undefined);

/**
 * Marks a value as verified and resets the failed attempts. Its used codes keep their positions, so that the code of
 * an older send does not become acceptable again.
 */
export function markVerified(
  state: VerificationState,
  { field, valueHash }: FieldValueRef,
  nowMs: number,
): VerificationState {
  const contact = { field, valueHash };
  const others = state.verified.filter((known) => !isSameFieldValue(known, contact));
  return {
    ...state,
    wrong: 0,
    lockedUntilMs: 0,
    verified: [...others, { ...contact, atMs: nowMs + VERIFICATION_DELAY_MS }].slice(-VERIFIED_VALUES_MAX),
  };
}

/** Counts a failed attempt. The last allowed attempt starts the lockout. */
export function addFailedAttempt(state: VerificationState, nowMs: number): VerificationState {
  const wrong = state.wrong + 1;
  return wrong < FAILED_ATTEMPTS_MAX
    ? { ...state, wrong }
    : { ...state, wrong: 0, lockedUntilMs: nowMs + LOCKOUT_SECONDS * 1_000 };
}
