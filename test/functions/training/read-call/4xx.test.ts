import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { runOutsideFunction } from '../../../../infra/policies/enforcement/running-function.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { trainingKey } from '../../../../shared/training/aws/training-table.ts';
import type { CallIds } from '../../../../shared/training/call.ts';
import { TranscriptMissingError } from '../../../../shared/training/transcripts.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import type { Answer } from '../../../support/http.ts';
import { setUpReads } from '../../../support/training/read-calls.ts';

const { callsOf } = useDynamo();

/** Returns everything in a response that a caller can see, without the request id. */
function seen({ status, text, headers: { 'x-request-id': _, ...headers } }: Answer): string {
  return JSON.stringify({ status, text, headers });
}

test.each(['x', '%20', '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a5', '1', '../x'])(
  '400: rejects the id %j, and reads nothing',
  async (id) => {
    const { read } = await setUpReads();
    let response: Answer | undefined;
    const calls = await callsOf(async () => {
      response = await read(id);
    });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: 'bad_request', message: 'path.id must be a UUID.' } },
    });
    expect(calls).toEqual([]);
  },
);

test('400: rejects an orgId that is not a UUID, before membership is checked', async () => {
  const { send, as } = await setUpReads();
  const response = await send({ path: { orgId: 'x', id: randomUUID() }, headers: as('stranger') });
  expect(response).toMatchObject({ status: 400, body: { error: { message: 'path.orgId must be a UUID.' } } });
});

test('401: rejects a request without a valid token, before the path is validated', async () => {
  const { send, pending, orgId } = await setUpReads();
  const id = await pending();
  for (const path of [
    { orgId, id },
    { orgId: 'x', id: 'x' },
  ]) {
    const response = await send({ path });
    expect(response).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  }
});

test('403: a member cannot read the call of another member', async () => {
  const { open, read, ids, as } = await setUpReads();
  const { trainingCallId: id } = (await open(ids, as('admin'))).body as { trainingCallId: string };
  const response = await read(id, as('member'));
  expect(response).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  expect(Object.keys(response.body as object)).toEqual(['error']);
});

test('403: a non-member gets the same response for an existing and an unknown call, without a read', async () => {
  const { pending, read, as } = await setUpReads();
  const id = await pending();
  const responses: string[] = [];
  const calls = await callsOf(async () => {
    for (const each of [id, randomUUID()]) responses.push(seen(await read(each, as('stranger'))));
  });
  expect(new Set(responses).size).toBe(1);
  expect(responses[0]).toContain('"status":403');
  expect(calls).toEqual([]);
});

test('404: for every role, a call of another organization and an unknown call get the same response', async () => {
  const [world, other] = [await setUpReads(), await setUpReads()];
  const foreign = await other.processing();
  for (const who of ['member', 'admin', 'owner'] as const) {
    const responses = [foreign, randomUUID(), world.ids.caseId].map((id) => world.read(id, world.as(who)));
    const distinct = new Set((await Promise.all(responses)).map(seen));
    expect([...distinct]).toEqual([expect.stringContaining('"status":404')]);
    expect([...distinct][0]).toContain('not_found');
  }
  expect((await other.read(foreign)).status).toBe(200);
});

test('429: rejects the 241st request of a user within a minute, with the rate limit headers and without a read', async () => {
  const { read, pending, as } = await setUpReads();
  const id = await pending();
  for (let call = 0; call < 240; call++) await read(randomUUID());
  const calls = await callsOf(async () => {
    expect(await read(id)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '42', 'ratelimit-limit': '240', 'ratelimit-remaining': '0', 'ratelimit-reset': '42' },
      body: { error: { code: 'rate_limited' } },
    });
  });
  expect(calls).toEqual([]);
  expect((await read(id, as('admin'))).status).toBe(200);
});

test('404: a call is not found if it is erased while it is being read', async () => {
  let ids: CallIds | undefined;
  const erase = async () => {
    const erased = new DeleteCommand({ TableName: 'training', Key: ids && trainingKey.call(ids) });
    await runOutsideFunction(() => dynamoDocumentClient().send(erased));
    throw new TranscriptMissingError('The object is missing.');
  };
  const { read, processing, orgId } = await setUpReads({ readTranscript: erase });
  const callId = await processing();
  ids = { orgId, callId };
  expect(await read(callId)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
});
