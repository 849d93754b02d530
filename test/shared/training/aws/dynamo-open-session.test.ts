import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { dynamoClient, dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import {
  createDynamoCallCreator,
  createDynamoCaseAndPersonaReader,
} from '../../../../shared/training/aws/dynamo-open-session.ts';
import type { NewCall } from '../../../../shared/training/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aTrainingCase, NOON } from '../../../support/training/calls.ts';
import { aPersona, storedCalls, storedCase, storedPersona } from '../../../support/training/sessions.ts';

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

type Batch = { RequestItems?: Record<string, { PutRequest: { Item: { sk: string } } }[] & { Keys?: unknown[] }> };

/** DynamoDB under throttling: of each batch it processes nothing, or all but the first item, and returns the rest. */
function throttleBatches(batches: readonly ('nothing' | 'all-but-one')[]) {
  const remaining = [...batches];
  const inputs: unknown[] = [];
  const name = `throttled-${randomUUID()}`;
  dynamoDocumentClient().middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as Batch;
      const requests = input.RequestItems?.training;
      if (requests === undefined) return next(args);
      inputs.push(input);
      const processed = remaining.shift();
      if (processed === undefined) return next(args);
      const items = (requests.Keys ?? requests) as unknown[];
      const [accepted, unprocessed] = processed === 'nothing' ? [[], items] : [items.slice(1), items.slice(0, 1)];
      const toRequest = (some: unknown[]) => ({ training: requests.Keys ? { ...requests, Keys: some } : some });
      const result =
        accepted.length === 0
          ? { output: { $metadata: {} }, response: undefined }
          : await next({ ...args, input: { RequestItems: toRequest(accepted) } });
      const attribute = requests.Keys ? 'UnprocessedKeys' : 'UnprocessedItems';
      return { ...result, output: { ...result.output, [attribute]: toRequest(unprocessed) } };
    },
    { step: 'initialize', name },
  );
  onTestFinished(() => void dynamoDocumentClient().middlewareStack.remove(name));
  return inputs;
}

test('finds case and persona in one strongly consistent read, and leaves out what the organization does not have', async () => {
  const orgId = randomUUID();
  const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
  const ids = { caseId: trainingCase.id, personaId: persona.id };
  const inputs = throttleBatches([]);
  const calls = await callsOf(async () => {
    expect(await createDynamoCaseAndPersonaReader().find(orgId, ids)).toEqual({ trainingCase, persona });
  });
  expect(calls).toEqual(['BatchGetItem']);
  expect(inputs).toMatchObject([{ RequestItems: { training: { ConsistentRead: true } } }]);
  const nothing = { trainingCase: undefined, persona: undefined };
  expect(await createDynamoCaseAndPersonaReader().find(randomUUID(), ids)).toEqual(nothing);
  expect(
    await createDynamoCaseAndPersonaReader().find(orgId, { caseId: persona.id, personaId: trainingCase.id }),
  ).toEqual(nothing);
  expect(await createDynamoCaseAndPersonaReader().find(orgId, { ...ids, caseId: randomUUID() })).toEqual({
    ...nothing,
    persona,
  });
});

test.each([[['nothing'] as const], [['all-but-one', 'nothing', 'all-but-one'] as const]])(
  'retries keys that a read left unprocessed: %j',
  async (batches) => {
    const orgId = randomUUID();
    const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
    throttleBatches(batches);
    const ids = { caseId: trainingCase.id, personaId: persona.id };
    expect(await createDynamoCaseAndPersonaReader().find(orgId, ids)).toEqual({ trainingCase, persona });
  },
);

test('503: keys stay unprocessed; they are never reported as unknown', async () => {
  const orgId = randomUUID();
  const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
  const inputs = throttleBatches(['all-but-one', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing']);
  const found = createDynamoCaseAndPersonaReader().find(orgId, { caseId: trainingCase.id, personaId: persona.id });
  await expect(found).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(inputs).toHaveLength(4);
});

test('ignores additional attributes of a persona, and throws for an invalid one', async () => {
  const orgId = randomUUID();
  const persona = await storedPersona(orgId, { note: 'an operator’s' } as object);
  const { note: _, ...known } = persona as typeof persona & { note: string };
  const ids = { caseId: randomUUID(), personaId: persona.id };
  expect(await createDynamoCaseAndPersonaReader().find(orgId, ids)).toEqual({
    trainingCase: undefined,
    persona: known,
  });
  await storedPersona(orgId, { ...known, language: 'fr' as 'de' });
  await expect(createDynamoCaseAndPersonaReader().find(orgId, ids)).rejects.toThrow('language');
});

test.each([[['nothing'] as const], [['all-but-one'] as const], [['all-but-one', 'nothing', 'nothing'] as const]])(
  'retries items that a write left unprocessed: %j',
  async (batches) => {
    const call = aNewCall();
    throttleBatches(batches);
    expect(await createDynamoCallCreator().add(call)).toBe('added');
    const { calls, lookups } = await storedCalls(call.orgId);
    expect([calls.length, lookups]).toMatchObject([1, [{ callId: call.callId }]]);
  },
);

test('503: items stay unprocessed', async () => {
  const call = aNewCall();
  throttleBatches(['all-but-one', 'nothing', 'nothing', 'nothing', 'nothing']);
  await expect(createDynamoCallCreator().add(call)).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
  });
  expect((await storedCalls(call.orgId)).calls).toEqual([]);
});

test('rejects a known conversation without a request to AWS, also for another organization', async () => {
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

test('adds one of two concurrent calls with the same conversation', async () => {
  const calls = createDynamoCallCreator();
  const first = aNewCall();
  const second = aNewCall({ conversationId: first.conversationId });
  expect(await Promise.all([calls.add(first), calls.add(second)])).toEqual(['added', 'conversation_taken']);
  expect(await storedCalls(second.orgId)).toEqual({ calls: [], lookups: [] });
});

test('keeps only the latest 1,000 conversations', async () => {
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

test('throws UnavailableError while the table cannot be reached', async () => {
  const { requestHandler } = dynamoClient().config;
  const { handle } = requestHandler;
  requestHandler.handle = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  onTestFinished(() => {
    requestHandler.handle = handle;
  });
  await expect(createDynamoCallCreator().add(aNewCall())).rejects.toMatchObject({ name: 'UnavailableError' });
  const ids = { caseId: randomUUID(), personaId: randomUUID() };
  await expect(createDynamoCaseAndPersonaReader().find(randomUUID(), ids)).rejects.toMatchObject({
    name: 'UnavailableError',
  });
});
