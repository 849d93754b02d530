import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConversation } from '../../../../shared/training/elevenlabs/conversation.ts';
import { aConversationOf, aTurn } from '../../../support/training/voice-webhook.ts';

const turnsOf = (transcript: unknown) => parseConversation(aConversationOf('conv_1', { transcript }))?.turns;
const timesOf = (times: unknown[]) =>
  turnsOf(times.map((time_in_call_secs) => aTurn({ time_in_call_secs })))?.map(({ timeInCallSecs }) => timeInCallSecs);

test('parseConversation parses the documented format, and drops properties that are not needed', () => {
  expect(parseConversation(aConversationOf('conv_1'))).toEqual({
    conversationId: 'conv_1',
    turns: [
      { role: 'agent', message: 'That is too expensive.', timeInCallSecs: 0 },
      { role: 'user', message: 'What do you need?', timeInCallSecs: 3 },
    ],
    durationSeconds: 60,
    interruptions: null,
    hasAudio: true,
  });
});

test('parseConversation requires only `conversation_id` and `transcript`, and drops invalid other properties', () => {
  const bare = { conversationId: 'c', turns: [], durationSeconds: null, interruptions: null, hasAudio: null };
  expect(parseConversation({ conversation_id: 'c', transcript: [] })).toEqual(bare);
  const invalid = { agent_id: 7, status: {}, metadata: 'none', has_audio: 'yes', analysis: [], user_id: {} };
  expect(parseConversation({ conversation_id: 'c', transcript: [], ...invalid })).toEqual(bare);
});

test.each([
  undefined,
  null,
  'x',
  7,
  [],
  {},
  { conversation_id: 'c' },
  { transcript: [] },
  { conversation_id: '', transcript: [] },
  { conversation_id: 'c'.repeat(201), transcript: [] },
  { conversation_id: '\ud800', transcript: [] },
  { conversation_id: 7, transcript: [] },
  { conversation_id: 'c', transcript: null },
  { conversation_id: 'c', transcript: {} },
  { conversation_id: 'c', transcript: 'user: hello' },
])('parseConversation returns undefined for %j', (data) => {
  expect(parseConversation(data)).toBeUndefined();
});

describe('parsing turns', () => {
  test('skips tool calls, other roles, empty messages and values that are not turns', () => {
    const skipped = [
      aTurn({ message: null, tool_calls: [{ tool_name: 'end_call' }] }),
      aTurn({ message: undefined }),
      aTurn({ message: '' }),
      aTurn({ message: ' \n\t\u00a0' }),
      aTurn({ message: '\0' }),
      aTurn({ message: '\ud800' }),
      aTurn({ message: ['What?'] }),
      aTurn({ message: 7 }),
      aTurn({ role: 'system' }),
      aTurn({ role: 'User' }),
      aTurn({ role: null }),
      ...[null, undefined, 7, 'user', [], {}],
    ];
    expect(turnsOf([...skipped, aTurn({ message: 'Hello.' }), ...skipped])).toMatchObject([{ message: 'Hello.' }]);
  });

  test('removes NUL and lone surrogates, also lone surrogates on both sides of a NUL', () => {
    const parsed = (message: string) => turnsOf([aTurn({ message })])?.[0]?.message;
    expect(parsed('a\0b')).toBe('ab');
    expect(parsed('a\ud83dz\ude00b')).toBe('azb');
    expect(parsed('a\ud83d\0\ude00b')).toBe('ab');
    expect(parsed('\ud83d\ud83d\ude00\ude00')).toBe('😀');
    expect(parsed('  unchanged  ')).toBe('  unchanged  ');
  });

  test('replaces an invalid time by the time of the previous turn, or by 0 in the first turn', () => {
    const invalid = [undefined, null, '7', Number.NaN, -1, 1e308, Number.POSITIVE_INFINITY, {}, [4], true, 86_401];
    for (const time of invalid) expect(timesOf([time, 2, time, 5])).toEqual([0, 2, 2, 5]);
  });

  test('keeps the order of the turns, and raises a time that is too early to the time of the previous turn', () => {
    expect(timesOf([0, 4, 3.5, 4, 9, 1])).toEqual([0, 4, 4, 4, 9, 9]);
    expect(turnsOf([aTurn({ message: 'b', time_in_call_secs: 9 }), aTurn({ message: 'a' })])).toMatchObject([
      { message: 'b', timeInCallSecs: 9 },
      { message: 'a', timeInCallSecs: 9 },
    ]);
  });

  test('parses 100,000 valid turns among 100,000 invalid turns', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => (index % 2 === 0 ? aTurn() : index));
    expect(turnsOf(many)).toHaveLength(100_000);
  });
});

describe('the number of interruptions', () => {
  const interruptionsOf = (...turns: object[]) =>
    parseConversation(aConversationOf('c', { transcript: turns }))?.interruptions;
  const agent = (interrupted?: unknown) => aTurn({ role: 'agent', interrupted });

  test('is the number of interrupted turns of the customer', () => {
    expect(interruptionsOf(agent(true), aTurn(), agent(false), aTurn(), agent(true))).toBe(2);
    expect(interruptionsOf(agent(false), agent(undefined))).toBe(0);
  });

  test('is null when no turn of the customer states whether it was interrupted', () => {
    expect(interruptionsOf()).toBeNull();
    expect(interruptionsOf(agent(), aTurn())).toBeNull();
    expect(interruptionsOf(agent('true'), agent(null), agent(1))).toBeNull();
    expect(interruptionsOf(aTurn({ interrupted: true }), agent())).toBeNull();
  });
});

test.each([
  [0, 0],
  [-0, 0],
  [59.5, 60],
  [7_200, 7_200],
  [-1, null],
  [1e308, null],
  [Number.NaN, null],
  ['60', null],
  [null, null],
  [undefined, null],
])('a duration of %o is parsed as %o', (call_duration_secs, expected) => {
  expect(parseConversation(aConversationOf('c', { metadata: { call_duration_secs } }))?.durationSeconds).toBe(expected);
});

test('for any data, parseConversation returns undefined or a valid conversation that JSON can represent', () => {
  const value = fc.oneof(fc.jsonValue(), fc.double(), fc.string({ unit: 'binary' }), fc.constantFrom(undefined, -0));
  const turn = fc.oneof(
    value,
    fc.record({
      role: fc.oneof(fc.constantFrom('user', 'agent', 'tool'), value),
      message: value,
      time_in_call_secs: value,
      interrupted: value,
    }),
  );
  const data = fc.record(
    {
      conversation_id: fc.oneof(fc.constant('c'), value),
      transcript: fc.oneof(fc.array(turn), value),
      metadata: fc.oneof(fc.record({ call_duration_secs: value }), value),
      has_audio: value,
      agent_id: value,
      status: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(data, (anyData) => {
      const parsed = parseConversation(anyData);
      if (parsed === undefined) return;
      expect(JSON.parse(JSON.stringify(parsed))).toEqual(parsed);
      expect([null, true, false]).toContain(parsed.hasAudio);
      expect(parsed.durationSeconds ?? 0).toSatisfy((seconds: number) => Number.isInteger(seconds) && seconds >= 0);
      let before = 0;
      for (const { role, message, timeInCallSecs } of parsed.turns) {
        expect(['user', 'agent']).toContain(role);
        expect(message.trim()).not.toBe('');
        expect(message.isWellFormed() && !message.includes('\0')).toBe(true);
        expect(timeInCallSecs).toBeGreaterThanOrEqual(before);
        expect(timeInCallSecs).toBeLessThanOrEqual(86_400);
        before = timeInCallSecs;
      }
    }),
    { numRuns: 3_000 },
  );
});
