import * as z from 'zod/mini';

/** How long a code is accepted. */
export const CODE_MINUTES = 10;
const CODE_MS = CODE_MINUTES * 60_000;
/** How long the digits of an expired code are still told apart from any others. */
const EXPIRED_CODE_TTL_MS = 24 * 60 * 60_000;
/** So many sends' codes are accepted, in case a message comes late. */
export const ACTIVE_CODES_MAX = 3;
/** So many wrong checks are answered before the cool-down. */
export const FAILED_ATTEMPTS_MAX = 5;
export const LOCKOUT_SECONDS = 600;
/** FieldValueRef fields whose verification is remembered, the latest ones: bounds the state. */
const VERIFIED_VALUES_MAX = 10;

/**
 * A value counts as verified from so much later on, and the success is not answered before. So every check that was on
 * its way when a code was used up arrived before that moment, by the gateway's clock too, which is not quite the
 * function's; and every check that was sent after the answer arrives after it.
 */
export const VERIFICATION_DELAY_MS = 250;

/** A contact field of a lead and the hash of the value that it holds. */
const FieldValueRef = z.object({ field: z.string(), valueHash: z.string() });
export type FieldValueRef = z.infer<typeof FieldValueRef>;

/** A code that was sent to a value. Its digits are kept as a keyed hash. */
const IssuedCode = z.extend(FieldValueRef, { codeHash: z.string(), expiresAtMs: z.number() });
export type IssuedCode = z.infer<typeof IssuedCode>;

const Verified = z.extend(FieldValueRef, { atMs: z.number() });

/**
 * What verification keeps on a lead. A verification is bound to a value's hash: a changed value is unverified without
 * anyone clearing it, and the verified value coming back is verified.
 */
export const VerificationState = z.object({
  /** Chosen anew by each write: by it a writer knows its own write again. */
  revision: z.string(),
  /** Of the last sends, the latest last. */
  codes: z.array(IssuedCode),
  /** Where the last message went, or would have gone had the value not been verified. */
  lastSentTo: z.nullable(z.string()),
  /** Wrong checks since the last success or cool-down. */
  wrong: z.number(),
  /** When the cool-down ends; in the past or 0: there is none. */
  lockedUntilMs: z.number(),
  verified: z.array(Verified),
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

/** When this value of the field was verified; undefined: it is not. */
export const verifiedAtMs = ({ verified }: VerificationState, contact: FieldValueRef): number | undefined =>
  verified.find((known) => isSameFieldValue(known, contact))?.atMs;

/** A message would have gone there, had the value not been verified: checks speak of it from now on. */
export const setLastSentTo = (state: VerificationState, field: string): VerificationState => ({
  ...state,
  lastSentTo: field,
});

/** A code was sent: it counts beside those of the sends before it. */
export function addCode(state: VerificationState, code: Omit<IssuedCode, 'expiresAtMs'>, nowMs: number) {
  const codes = [...unpurgedCodes(state, nowMs), { ...code, expiresAtMs: nowMs + CODE_MS }];
  return { ...state, codes: codes.slice(-ACTIVE_CODES_MAX), lastSentTo: code.field };
}

/**
 * A message could not be delivered: its code is void, and what it had displaced counts again.
 *
 * @param before the state into which the code was issued
 */
export function revokeCode(state: VerificationState, codeHash: string, before: VerificationState): VerificationState {
  const withdrawn = state.codes.find((code) => code.codeHash === codeHash);
  if (withdrawn === undefined) return state;
  const others = state.codes.filter((code) => code !== withdrawn);
  const displaced = before.codes.filter((code) => others.every((other) => other.codeHash !== code.codeHash));
  return {
    ...state,
    codes: [...displaced, ...others].slice(-ACTIVE_CODES_MAX),
    lastSentTo: state.lastSentTo === withdrawn.field ? before.lastSentTo : state.lastSentTo,
  };
}

/** The codes whose digits are still known, expired ones for a day; used ones among them. */
const unpurgedCodes = ({ codes }: VerificationState, nowMs: number): IssuedCode[] =>
  codes.filter(({ expiresAtMs }) => nowMs < expiresAtMs + EXPIRED_CODE_TTL_MS);

/** The codes whose digits still mean something for a value, be it that they have expired. */
export const recognizableCodes = (state: VerificationState, nowMs: number): IssuedCode[] =>
  unpurgedCodes(state, nowMs).filter((code) => verifiedAtMs(state, code) === undefined);

/**
 * The contact's value is verified: its codes are used up, and whoever guessed before may err again. They keep their
 * places, so that no code of an older send comes back into the last ones.
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

/** A wrong check is counted; the last one that is answered begins the cool-down. */
export function addFailedAttempt(state: VerificationState, nowMs: number): VerificationState {
  const wrong = state.wrong + 1;
  return wrong < FAILED_ATTEMPTS_MAX
    ? { ...state, wrong }
    : { ...state, wrong: 0, lockedUntilMs: nowMs + LOCKOUT_SECONDS * 1_000 };
}
