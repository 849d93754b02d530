import { expect, test } from 'vitest';
import {
  type RedriveResult,
  redriveDeadLetters,
} from '../../../../../infra/cli/analytics/dead-letters/redrive-dead-letters.ts';
import { encodeDeadLetter } from '../../../../../shared/analytics/ingest/dead-letters.ts';
import { aRecord } from '../../../../support/analytics/events.ts';
import { aLine } from '../../../../support/analytics/memory-stores.ts';
import { heldLease } from '../../../../support/platform/lease.ts';
import { createMemoryObjectStore } from '../../../../support/platform/memory-object-store.ts';

const keyOf = (number: number) => `set-aside/events/shard/${number}.json`;

function setUp(records: readonly (string | Uint8Array)[]) {
  const objects = createMemoryObjectStore();
  for (const [number, data] of records.entries())
    objects.stored.set(keyOf(number), Buffer.from(encodeDeadLetter(aRecord(data, number), 'an earlier reason')));
  const sent: string[] = [];
  const stream = { append: async (record: Uint8Array) => void sent.push(Buffer.from(record).toString()) };
  const run = async (ports = { objects, stream }, dryRun = false) => {
    const all: RedriveResult[] = [];
    for await (const one of redriveDeadLetters(ports, dryRun ? undefined : heldLease)) all.push(one);
    return all.map(({ outcome, reason }) => `${outcome}: ${reason}`);
  };
  return { objects, stream, sent, run };
}

const [GOOD, OTHER] = [aLine({ session_id: 'a' }), aLine({ session_id: 'b' })];

test('a redrive sends readable records to the stream, deletes their dead letters, and keeps unreadable records', async () => {
  const { objects, sent, run } = setUp([GOOD, '{"half":', OTHER]);
  expect(await run()).toEqual([
    'sent: an earlier reason',
    'unreadable: The record does not consist of complete lines of UTF-8 text.',
    'sent: an earlier reason',
  ]);
  expect(sent).toEqual([GOOD, OTHER]);
  expect([...objects.stored.keys()]).toEqual([keyOf(1)]);
});

test('a dry run reports which records would be sent, sends nothing and deletes nothing', async () => {
  const { objects, sent, run } = setUp([GOOD, 'x']);
  expect((await run(undefined, true)).map((said) => said.replace(/:.*/, ''))).toEqual(['readable', 'unreadable']);
  expect([sent, objects.stored.size]).toEqual([[], 2]);
});

test('a redrive throws and keeps the dead letter if the stream rejects the record', async () => {
  const { objects, run } = setUp([GOOD]);
  const stream = { append: () => Promise.reject(new Error('The stream is not available.')) };
  await expect(run({ objects, stream })).rejects.toThrow('The stream is not available.');
  expect(objects.stored.size).toBe(1);
});

test('after a crash between sending a record and deleting its dead letter, the next run sends the record again', async () => {
  const { objects, stream, sent, run } = setUp([GOOD, OTHER]);
  const dies = { ...objects, deleteAllVersions: () => Promise.reject(new Error('killed')) };
  await expect(run({ objects: dies, stream })).rejects.toThrow('killed');
  await run();
  expect(sent).toEqual([GOOD, GOOD, OTHER]);
  expect(objects.stored.size).toBe(0);
});

test.each([
  'no JSON',
  '[]',
  '{"reason":"r","shard":"s","sequenceNumber":"1"}',
  '{"reason":"r","shard":"s","sequenceNumber":"1","data":"%%"}',
])('an object with the content %s, which is not a dead letter, is reported and kept', async (text) => {
  const { objects, sent, run } = setUp([]);
  objects.stored.set(keyOf(1), Buffer.from(text));
  expect(await run()).toEqual(['unreadable: The stored object is not a dead letter: inspect it manually.']);
  expect([sent, objects.stored.size]).toEqual([[], 1]);
});

test('a redrive skips a dead letter that another process deleted after the listing', async () => {
  const { objects, stream, sent, run } = setUp([GOOD]);
  const gone = { ...objects, get: async () => undefined };
  expect(await run({ objects: gone, stream })).toEqual([]);
  expect(sent).toEqual([]);
});
