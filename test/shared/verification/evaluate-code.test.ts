import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldValueRef } from '../../../shared/leads/field-value-hash.ts';
import { type CodeAttempt, evaluateCode } from '../../../shared/verification/evaluate-code.ts';
import {
  addCode,
  INITIAL_STATE,
  revokeCode,
  setLastSentTo,
  VERIFICATION_DELAY_MS,
  type VerificationState,
  verifiedAtMs,
} from '../../../shared/verification/verification-state.ts';

const MINUTE = 60_000;
const FIELDS = ['email', 'phone'] as const;
const VALUES = ['a', 'b'] as const;

/** Codes are numbers in the order of their creation. */
type Event =
  | { kind: 'send'; field: number; fails: boolean }
  | { kind: 'check'; guess: number }
  | { kind: 'change'; field: number; value: number }
  | { kind: 'wait'; ms: number };

const anEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('send' as const), field: fc.nat(1), fails: fc.boolean() }) },
  // Every check guesses one of the last six codes, so that many guesses are correct.
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('check' as const), guess: fc.integer({ min: -5, max: 0 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), field: fc.nat(1), value: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, VERIFICATION_DELAY_MS, 31_000, 5 * MINUTE, 10 * MINUTE, 25 * 60 * MINUTE),
    }),
  },
);

/** A naive implementation of the specification, which keeps the whole history instead of a state. */
function oracle() {
  const sends: { id: number; field: string; value: string; atMs: number; void: boolean }[] = [];
  const successes: { field: string; value: string; atMs: number }[] = [];
  let wrongSinceReset = 0;
  let lockedUntil = -1;
  let lastSentTo: string | undefined;
  const isVerified = (field: string, value: string) =>
    successes.some((success) => success.field === field && success.value === value);
  const lastThree = () => sends.filter((send) => !send.void).slice(-3);
  const usable = (now: number, values: Map<string, string>) =>
    lastThree().filter(
      (send) =>
        values.get(send.field) === send.value && now < send.atMs + 10 * MINUTE && !isVerified(send.field, send.value),
    );
  return {
    isVerified,
    send: (id: number, field: string, value: string, atMs: number) => {
      sends.push({ id, field, value, atMs, void: false });
      lastSentTo = field;
    },
    aim: (field: string) => {
      lastSentTo = field;
    },
    check: (guess: number, now: number, values: Map<string, string>): string => {
      const open = usable(now, values);
      const subject = lastSentTo !== undefined && values.has(lastSentTo) ? lastSentTo : [...values.keys()][0];
      const value = subject === undefined ? undefined : values.get(subject);
      if (open.length === 0 && subject !== undefined && value !== undefined && isVerified(subject, value))
        return 'verified';
      if (now < lockedUntil) return 'locked';
      const right = open.find(({ id }) => id === guess);
      if (right !== undefined) {
        successes.push({ field: right.field, value: right.value, atMs: now });
        wrongSinceReset = 0;
        lockedUntil = -1;
        return 'correct';
      }
      wrongSinceReset += 1;
      if (wrongSinceReset === 5) {
        wrongSinceReset = 0;
        lockedUntil = now + 10 * MINUTE;
      }
      return 'wrong';
    },
  };
}

/** Applies the events to the state machine, as the use cases do, and compares each outcome with the oracle. */
function run(events: readonly Event[], compare: (mine: string, theirs: string, at: number) => void): VerificationState {
  let state: VerificationState = INITIAL_STATE;
  let now = 0;
  let sends = 0;
  const values = new Map<string, string>(FIELDS.map((field) => [field, 'a']));
  const judge = oracle();
  const contactOf = (field: string): FieldValueRef => ({ field, valueHash: `${field}:${values.get(field)}` });
  events.forEach((event, at) => {
    if (event.kind === 'wait') now += event.ms;
    if (event.kind === 'change') values.set(FIELDS[event.field] ?? '', VALUES[event.value] ?? '');
    if (event.kind === 'send') {
      const field = FIELDS[event.field] ?? '';
      const contact = contactOf(field);
      const isKnown = judge.isVerified(field, values.get(field) ?? '');
      compare(String(verifiedAtMs(state, contact) !== undefined), String(isKnown), at);
      if (isKnown) {
        state = setLastSentTo(state, field);
        judge.aim(field);
        return;
      }
      const id = ++sends;
      const before = state;
      state = addCode(state, { ...contact, codeHash: String(id) }, now);
      if (event.fails) state = revokeCode(state, String(id), before);
      else judge.send(id, field, values.get(field) ?? '', now);
    }
    if (event.kind === 'check') {
      const guess = sends + event.guess;
      const attempt: CodeAttempt = {
        matches: ({ codeHash }) => codeHash === String(guess),
        contacts: FIELDS.map(contactOf),
        nowMs: now,
        receivedAtMs: now + VERIFICATION_DELAY_MS + 1,
        isRetry: false,
      };
      const judgement = evaluateCode(state, attempt);
      if ('next' in judgement) state = judgement.next;
      const mine = judgement.outcome === 'already_verified' ? 'verified' : judgement.outcome;
      compare(mine, judge.check(guess, now, values), at);
    }
    now += 1;
  });
  return state;
}

test('any history of sends, checks, changes and delays has the outcomes of the specification', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 60 }), (events) => {
      run(events, (mine, theirs, at) => expect(`${at} ${mine}`).toBe(`${at} ${theirs}`));
    }),
    { numRuns: 30_000 },
  );
});

test('the generated histories often have each of the outcomes correct, wrong, locked and verified', () => {
  const met = new Map<string, number>();
  for (const events of fc.sample(fc.array(anEvent, { maxLength: 60 }), { numRuns: 300, seed: 7 })) {
    run(events, (outcome) => met.set(outcome, (met.get(outcome) ?? 0) + 1));
  }
  for (const outcome of ['correct', 'wrong', 'locked', 'verified']) expect(met.get(outcome)).toBeGreaterThan(20);
});

test('the stored verification state stays below 2 KB', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { minLength: 40, maxLength: 120 }), (events) => {
      const state = run(events, () => undefined);
      expect(state.codes.length).toBeLessThanOrEqual(3);
      expect(state.verified.length).toBeLessThanOrEqual(10);
      expect(JSON.stringify(state).length).toBeLessThan(2_048);
    }),
    { numRuns: 300 },
  );
});

describe('a code is rejected as wrong after three later codes were delivered', () => {
  const code = (codeHash: string, field = 'email') => ({ field, valueHash: `${field}:a`, codeHash });
  const check = (state: VerificationState, guess: string) =>
    evaluateCode(state, {
      matches: ({ codeHash }) => codeHash === guess,
      contacts: FIELDS.map((field) => ({ field, valueHash: `${field}:a` })),
      nowMs: 1_000,
      receivedAtMs: 1_000,
      isRetry: false,
    });
  const sent = (...codes: readonly ReturnType<typeof code>[]) =>
    codes.reduce((state, one) => addCode(state, one, 0), INITIAL_STATE);

  test('even if one of the three later codes was used', () => {
    const used = check(sent(code('first'), code('second', 'phone'), code('third')), 'second');
    if (used.outcome !== 'correct') throw new Error('The correct code was not accepted.');
    const state = addCode(used.next, code('fourth'), 0);
    expect(check(state, 'first').outcome).toBe('wrong');
    expect(check(state, 'third').outcome).toBe('correct');
  });

  test('even if another code was revoked because it was not delivered', () => {
    const before = sent(code('first'), code('second'), code('third'));
    const both = addCode(addCode(before, code('undelivered'), 0), code('fourth'), 0);
    const state = revokeCode(both, 'undelivered', before);
    expect(check(state, 'first').outcome).toBe('wrong');
    expect(check(state, 'second').outcome).toBe('correct');
  });
});

test('a concurrent check of a used code returns used_concurrently, and a later check returns already_verified', () => {
  const contact = { field: 'email', valueHash: 'h' };
  const attempt = (overrides: Partial<CodeAttempt>): CodeAttempt => ({
    matches: () => true,
    contacts: [contact],
    nowMs: 1_000,
    receivedAtMs: 1_000,
    isRetry: false,
    ...overrides,
  });
  const first = evaluateCode(addCode(INITIAL_STATE, { ...contact, codeHash: 'c' }, 0), attempt({}));
  if (first.outcome !== 'correct') throw new Error('The correct code was not accepted.');
  const outcome = (overrides: Partial<CodeAttempt>) => evaluateCode(first.next, attempt(overrides)).outcome;
  expect(outcome({ receivedAtMs: 999 })).toBe('used_concurrently');
  expect(outcome({ receivedAtMs: 1_000 + VERIFICATION_DELAY_MS })).toBe('used_concurrently');
  expect(outcome({ receivedAtMs: 1_001 + VERIFICATION_DELAY_MS })).toBe('already_verified');
  expect(outcome({ receivedAtMs: 1_001 + VERIFICATION_DELAY_MS, isRetry: true })).toBe('used_concurrently');
});
