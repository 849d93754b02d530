import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConversation } from '../../../../shared/training/elevenlabs/conversation.ts';
import { aConversationOf, aTurn } from '../../../support/training/voice-webhook.ts';

const turnsOf = (transcript: unknown) => parseConversation(aConversationOf('conv_1', { transcript }))?.turns;
const timesOf = (times: unknown[]) =>
  turnsOf(times.map((time_in_call_secs) => aTurn({ time_in_call_secs })))?.map(({ timeInCallSecs }) => timeInCallSecs);

test('a conversation of the documented form is read, and nothing but what we need of it', () => {
  expect(parseConversation(aConversationOf('conv_1'))).toEqual({
    conversationId: 'conv_1',
    turns: [
      { role: 'agent', message: 'That is too dear.', timeInCallSecs: 0 },
      { role: 'user', message: 'What do you need?', timeInCallSecs: 3 },
    ],
    durationSeconds: 60,
    interruptions: null,
    hasAudio: true,
  });
});

test('of all members only the conversation and its transcript are needed', () => {
  const bare = { conversationId: 'c', turns: [], durationSeconds: null, interruptions: null, hasAudio: null };
  expect(parseConversation({ conversation_id: 'c', transcript: [] })).toEqual(bare);
  const odd = { agent_id: 7, status: {}, metadata: 'none', has_audio: 'yes', analysis: [], user_id: {} };
  expect(parseConversation({ conversation_id: 'c', transcript: [], ...odd })).toEqual(bare);
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
])('%j is no conversation', (data) => {
  expect(parseConversation(data)).toBeUndefined();
});

describe('turns', () => {
  test('what is no turn of the two is left out: calls of tools, other roles, no words', () => {
    const left = [
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
    expect(turnsOf([...left, aTurn({ message: 'Hello.' }), ...left])).toMatchObject([{ message: 'Hello.' }]);
  });

  test('NUL and halves of surrogate pairs go, and no new pair comes of what is left', () => {
    const said = (message: string) => turnsOf([aTurn({ message })])?.[0]?.message;
    expect(said('a\0b')).toBe('ab');
    expect(said('a\ud83dz\ude00b')).toBe('azb');
    expect(said('a\ud83d\0\ude00b')).toBe('ab');
    expect(said('\ud83d\ud83d\ude00\ude00')).toBe('😀');
    expect(said('  as it was said  ')).toBe('  as it was said  ');
  });

  test('a time that is none is that of the turn before', () => {
    const odd = [undefined, null, '7', Number.NaN, -1, 1e308, Number.POSITIVE_INFINITY, {}, [4], true, 86_401];
    for (const time of odd) expect(timesOf([time, 2, time, 5])).toEqual([0, 2, 2, 5]);
  });

  test('times never go back, and the order is as given', () => {
    expect(timesOf([0, 4, 3.5, 4, 9, 1])).toEqual([0, 4, 4, 4, 9, 9]);
    expect(turnsOf([aTurn({ message: 'b', time_in_call_secs: 9 }), aTurn({ message: 'a' })])).toMatchObject([
      { message: 'b', timeInCallSecs: 9 },
      { message: 'a', timeInCallSecs: 9 },
    ]);
  });

  test('100 000 turns, and as many that are none', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => (index % 2 === 0 ? aTurn() : index));
    expect(turnsOf(many)).toHaveLength(100_000);
  });
});

describe('interruptions', () => {
  const interruptionsOf = (...turns: object[]) =>
    parseConversation(aConversationOf('c', { transcript: turns }))?.interruptions;
  const agent = (interrupted?: unknown) => aTurn({ role: 'agent', interrupted });

  test('how many turns of the customer were cut short', () => {
    expect(interruptionsOf(agent(true), aTurn(), agent(false), aTurn(), agent(true))).toBe(2);
    expect(interruptionsOf(agent(false), agent(undefined))).toBe(0);
  });

  test('null where the provider does not say it of the customer', () => {
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
])('a duration of %j is %j', (call_duration_secs, expected) => {
  expect(parseConversation(aConversationOf('c', { metadata: { call_duration_secs } }))?.durationSeconds).toBe(expected);
});

test('whatever the provider answers, what is read of it can be stored and is bounded', () => {
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
    fc.property(data, (given) => {
      const read = parseConversation(given);
      if (read === undefined) return;
      expect(JSON.parse(JSON.stringify(read))).toEqual(read);
      expect([null, true, false]).toContain(read.hasAudio);
      expect(read.durationSeconds ?? 0).toSatisfy((seconds: number) => Number.isInteger(seconds) && seconds >= 0);
      let before = 0;
      for (const { role, message, timeInCallSecs } of read.turns) {
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
