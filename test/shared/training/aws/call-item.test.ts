import { expect, test } from 'vitest';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import type { Analysis, Score } from '../../../../shared/training/call.ts';
import {
  encodeTranscript,
  INLINE_BYTES_MAX,
  readTranscript,
  storeTranscriptIfLarge,
} from '../../../../shared/training/transcripts.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { ignoredMetrics } from '../../../support/platform/ignored-metrics.ts';
import { anAnalysis, aTrainingCase, NOON } from '../../../support/training/calls.ts';
import { callItem, storedCall } from '../../../support/training/stored-calls.ts';

const { callsOf } = useDynamo();

/** DynamoDB's limit for the names and values of all attributes of an item. */
const ITEM_BYTES_MAX = 409_600;

/** Returns the size of a value by DynamoDB's rules, with the maximum of 21 bytes for each number. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return 21;
  if (Array.isArray(value)) return 3 + value.reduce((sum, each) => sum + 1 + bytesOf(each), 0);
  if (typeof value !== 'object' || value === null) return 1;
  return 3 + Object.entries(value).reduce((sum, [name, each]) => sum + 1 + Buffer.byteLength(name) + bytesOf(each), 0);
}

/** A text of characters of the maximum size in UTF-8, which is four bytes. */
const wide = (points: number) => '𝒳'.repeat(points);
/** A text of characters of the maximum size in JSON, which is six bytes (`\u0001`). */
const escaped = (characters: number) => '\u0001'.repeat(characters);

const largestCase = () =>
  aTrainingCase({
    name: wide(80),
    description: wide(200),
    situation: wide(1_000),
    objective: wide(500),
    successCriteria: wide(500),
    dos: Array.from({ length: 10 }, (_, at) => ({ id: `${at}${wide(99)}`, label: wide(200) })),
  });

/**
 * Returns the largest result. Its quotes have 300 characters. Each do has three mentions and three citations of a
 * model. The success criteria have three citations.
 */
function largestResult(): { analysis: Analysis; score: Score } {
  const quotes = (count: number) =>
    Array.from({ length: count }, () => ({ quote: escaped(300), timeInCallSecs: 86_399.123_456_789 }));
  const { dos } = largestCase();
  const analysis = {
    ...anAnalysis(),
    summary: escaped(2_000),
    dos: dos.map((each) => ({ ...each, covered: true, evidence: quotes(6) })),
    successCriteria: { met: true, evidence: quotes(3) },
  };
  const criteria = Array.from({ length: 8 }, (_, at) => ({
    id: `criterion${at}`,
    label: wide(100),
    score: 12.5,
    max: 100,
    // A reason can name every do, so it can be long.
    reason: wide(2_500),
  }));
  return { analysis, score: { total: 100, criteria } };
}

test('one item can hold the largest inline transcript, the largest case and the largest result of an analysis together', async () => {
  const call = await storedCall({ caseSnapshot: largestCase() });
  const message = (length: number) => [{ role: 'user' as const, message: 'x'.repeat(length), timeInCallSecs: 1 }];
  const turns = message(INLINE_BYTES_MAX - Buffer.byteLength(JSON.stringify(message(0))));
  const put = async () => {
    throw new Error('The transcript must be in the item.');
  };
  const transcript = await storeTranscriptIfLarge({ put }, call, await encodeTranscript(turns, ignoredMetrics));
  const calls = createDynamoCallRepository({ now: () => NOON });
  const conversation = { transcript, durationSeconds: 86_400, interruptions: 10_000, hasAudio: true };
  expect(await calls.moveToProcessing(call, conversation, NOON + 1)).toBe('applied');
  const result = { ...largestResult(), recordingKey: null, dueAtMs: NOON + 2 };
  expect(await callsOf(() => calls.moveToReady(call, result))).toEqual(['UpdateItem']);
  const item = await callItem(call);
  expect(Buffer.byteLength(String(item.transcript))).toBe(INLINE_BYTES_MAX);
  expect(bytesOf(item)).toBeLessThan(ITEM_BYTES_MAX);
  const found = await calls.find(call);
  expect(found?.status).toBe('ready');
  const get = async () => undefined;
  expect(await readTranscript({ get }, found?.conversation?.transcript ?? { json: '[]' }, call.callId)).toEqual(turns);
});

test('the stand-in for DynamoDB rejects items above 400 KB', async () => {
  const call = await storedCall();
  const transcript = { json: JSON.stringify('x'.repeat(ITEM_BYTES_MAX)) };
  const conversation = { transcript, durationSeconds: null, interruptions: null, hasAudio: null };
  await expect(createDynamoCallRepository().moveToProcessing(call, conversation, NOON)).rejects.toThrow(/size/i);
  expect(await callItem(call)).toMatchObject({ status: 'pending' });
});
