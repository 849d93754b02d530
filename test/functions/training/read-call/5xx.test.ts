import { gzipSync } from 'node:zlib';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { MANY_TURNS, setUpReads } from '../../../support/training/read-calls.ts';

useDynamo();

const logged = (): string =>
  vi
    .mocked(process.stdout.write)
    .mock.calls.map(([line]) => String(line))
    .join('');

const damages: [string, (compressed: Uint8Array) => Uint8Array | undefined, RegExp][] = [
  ['is missing', () => undefined, /missing in the training bucket/],
  ['is empty', () => new Uint8Array(), /unexpected end of file/],
  ['is cut off', (compressed) => compressed.subarray(0, compressed.length / 2), /unexpected end of file/],
  ['is not compressed', () => Buffer.from('[{"role":"agent","message":"made up"}]'), /incorrect header check/],
  ['is not JSON', () => gzipSync('a private transcript'), /is not valid JSON/],
  ['is not a transcript', () => gzipSync('[{"role":"judge","message":"made up","timeInCallSecs":1}]'), /role/],
  ['exceeds the size limit', () => gzipSync(Buffer.alloc(5_000_000, ' ')), /larger than/],
];

test.each(damages)(
  '500: if a transcript %s, the log contains the reason; neither log nor response contains the transcript',
  async (_, damage, message) => {
    const { read, processing, complete, bucket } = await setUpReads();
    const id = await processing(MANY_TURNS);
    await complete(id);
    for (const [key, compressed] of [...bucket]) {
      const damaged = damage(compressed);
      if (damaged === undefined) bucket.delete(key);
      else bucket.set(key, damaged);
    }
    const response = await read(id);
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(Object.keys(response.body as object)).toEqual(['error']);
    expect(response.text).not.toContain('transcripts/');
    expect(logged()).toMatch(message);
    expect(logged()).not.toMatch(/Line 3:|private transcript|made up/);
  },
);

test.each([
  ['transcript', 'a private transcript'],
  ['transcript', '{"role":"agent"}'],
  ['analysis', '{"summary":7}'],
  ['score', 'none'],
  ['status', 'unknown'],
  ['caseSnapshot', 'a case'],
])('500: a call whose %s is damaged cannot be read', async (attribute, value) => {
  const { read, processing, orgId } = await setUpReads();
  const callId = await processing();
  const update = new UpdateCommand({
    TableName: 'training',
    Key: trainingKey.call({ orgId, callId }),
    UpdateExpression: 'SET #damaged = :value',
    ExpressionAttributeNames: { '#damaged': attribute },
    ExpressionAttributeValues: { ':value': value },
  });
  await dynamoDocumentClient().send(update);
  expect(await read(callId)).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(logged()).not.toContain('private transcript');
});

test('500: reveals no details when the table fails', async () => {
  const failing = { find: () => Promise.reject(new Error('table training-xyz is on fire')) };
  const { read, pending } = await setUpReads({ calls: failing });
  const response = await read(await pending());
  expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
  expect(response.text).not.toContain('fire');
  expect(logged()).toContain('fire');
});

test('503: no call can be read while the table is throttled', async () => {
  const { read, pending } = await setUpReads();
  const id = await pending();
  const name = 'throttled';
  const throttled = () => Promise.reject(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));
  dynamoDocumentClient().middlewareStack.add(() => throttled, { step: 'initialize', name });
  const response = await read(id);
  dynamoDocumentClient().middlewareStack.remove(name);
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
});
