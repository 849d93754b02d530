import * as z from 'zod/mini';
import { FieldValueRef, VerifiedFieldValue } from '../leads/field-value-hash.ts';

/** How long a code is valid. */
export const CODE_MINUTES = 10;
const CODE_MS = CODE_MINUTES * 60_000;
/**
 * An expired code is kept for at most this time. If its digits are submitted, the response says that the code has
 * expired.
 */
const EXPIRED_CODE_TTL_MS = 24 * 60 * 60_000;
/** Number of the latest sends whose codes are accepted. More than one, because messages can arrive late. */
export const ACTIVE_CODES_MAX = 3;
/** Number of failed attempts after which the lockout starts. */
export const FAILED_ATTEMPTS_MAX = 5;
export const LOCKOUT_SECONDS = 600;
/** Maximum number of verified values that are stored, to bound the size of the state. The latest values are kept. */
const VERIFIED_VALUES_MAX = 10;

/**
 * The stored time of a verification is this much later than the check. The response is sent after that time, so the
 * client's next request arrives later. `evaluateCode` treats requests that arrived before that time as concurrent. The
 * delay covers small differences between the clocks of gateway and function.
 */
export const VERIFICATION_DELAY_MS = 250;

/** A code that was sent to a field value. Only a keyed hash of its digits is stored. */
const IssuedCode = z.extend(FieldValueRef, { codeHash: z.string(), expiresAtMs: z.number() });
export type IssuedCode = z.infer<typeof IssuedCode>;

/**
 * The verification state that is stored on a lead. A verification is bound to the hash of a value. If the value
 * changes, the field is unverified. If the old value is restored, the field is verified again.
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

/** Returns when the value was verified. Undefined if it is not verified. */
export const verifiedAtMs = ({ verified }: VerificationState, contact: FieldValueRef): number | undefined =>
  verified.find((known) => isSameFieldValue(known, contact))?.atMs;

/** Records a send that was skipped because the value is verified. The next check then refers to this field. */
export const setLastSentTo = (state: VerificationState, field: string): VerificationState => ({
  ...state,
  lastSentTo: field,
});

/** Adds a code. Up to `ACTIVE_CODES_MAX` codes are kept, including those of earlier sends. */
export function addCode(
  state: VerificationState,
  code: Omit<IssuedCode, 'expiresAtMs'>,
  nowMs: number,
): VerificationState {
  const codes = [...storedCodes(state, nowMs), { ...code, expiresAtMs: nowMs + CODE_MS }];
  return { ...state, codes: codes.slice(-ACTIVE_CODES_MAX), lastSentTo: code.field };
}

/**
 * Removes a code after its message could not be sent. Restores the older code that it had replaced, if any. If the code
 * is not stored any more, returns `state` unchanged.
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

/** Codes that are not yet deleted: valid, or expired within the last day. Used codes are among them. */
const storedCodes = ({ codes }: VerificationState, nowMs: number): IssuedCode[] =>
  codes.filter(({ expiresAtMs }) => nowMs < expiresAtMs + EXPIRED_CODE_TTL_MS);

/** Stored codes, valid or expired, whose value is not verified. */
export const recognizableCodes = (state: VerificationState, nowMs: number): IssuedCode[] =>
  storedCodes(state, nowMs).filter((code) => verifiedAtMs(state, code) === undefined);

/**
 * Marks a value as verified and resets the failed attempts. Keeps the codes of the value, because they count towards
 * `ACTIVE_CODES_MAX`. Without them, codes of older sends would be accepted longer.
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
