import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { dynamoClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createDynamoCallCreator } from '../../../../shared/training/aws/dynamo-call-creator.ts';
import type { NewCall } from '../../../../shared/training/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aTrainingCase, NOON } from '../../../support/training/calls.ts';
import { failConnections, throttleBatches } from '../../../support/training/failing-batches.ts';
import { aPersona, storedCalls } from '../../../support/training/sessions.ts';

const { callsOf } = useDynamo();

const aNewCall = (overrides: Partial<NewCall> = {}): NewCall => ({
  orgId: randomUUID(),
  callId: randomUUID(),
  userId: randomUUID(),
  conversationId: `conv_${randomUUID()}`,
  trainingCase: aTrainingCase(),
  persona: aPersona(),
  createdAtMs: NOON,
  dueAtMs: NOON + 1_800_000,
  ...overrides,
});

test.each([[['nothing'] as const], [['all-but-one'] as const], [['all-but-one', 'nothing', 'nothing'] as const]])(
  'a new call is added even if the first batches leave items unprocessed (processed items: %j)',
  async (batches) => {
    const call = aNewCall();
    throttleBatches(batches);
    expect(await createDynamoCallCreator().add(call)).toBe('added');
    const { calls, lookups } = await storedCalls(call.orgId);
    expect([calls.length, lookups]).toMatchObject([1, [{ callId: call.callId }]]);
  },
);

test('503: adding a call fails if items stay unprocessed after all retries', async () => {
  const call = aNewCall();
  throttleBatches(['all-but-one', 'nothing', 'nothing', 'nothing', 'nothing']);
  await expect(createDynamoCallCreator().add(call)).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
  });
  expect((await storedCalls(call.orgId)).calls).toEqual([]);
});

test('a conversation that this process added recently is rejected without a request, even in another organization', async () => {
  const calls = createDynamoCallCreator();
  const first = aNewCall();
  const second = aNewCall({ conversationId: first.conversationId });
  expect(await calls.add(first)).toBe('added');
  const requests = await callsOf(async () => {
    expect(await calls.add(second)).toBe('conversation_taken');
  });
  expect(requests).toEqual([]);
  expect((await storedCalls(second.orgId)).lookups).toEqual([]);
  expect((await storedCalls(first.orgId)).lookups).toMatchObject([{ callId: first.callId }]);
});

test('if one process adds two calls with the same conversation concurrently, only the first call is added', async () => {
  const calls = createDynamoCallCreator();
  const first = aNewCall();
  const second = aNewCall({ conversationId: first.conversationId });
  expect(await Promise.all([calls.add(first), calls.add(second)])).toEqual(['added', 'conversation_taken']);
  expect(await storedCalls(second.orgId)).toEqual({ calls: [], lookups: [] });
});

test('a process accepts a conversation again after at most 1,000 others, because it keeps at most 1,000 in memory', async () => {
  const calls = createDynamoCallCreator();
  const first = aNewCall();
  expect(await calls.add(first)).toBe('added');
  const { requestHandler } = dynamoClient().config;
  const { handle } = requestHandler;
  requestHandler.handle = () => Promise.reject(new Error('not sent'));
  const others = Array.from({ length: 1_000 }, () => calls.add(aNewCall()).catch(() => 'failed'));
  expect(new Set(await Promise.all(others))).toEqual(new Set(['failed']));
  requestHandler.handle = handle;
  expect(await calls.add(first)).toBe('added');
});

test('adding a call throws UnavailableError while the table cannot be reached', async () => {
  failConnections();
  await expect(createDynamoCallCreator().add(aNewCall())).rejects.toMatchObject({ name: 'UnavailableError' });
});
