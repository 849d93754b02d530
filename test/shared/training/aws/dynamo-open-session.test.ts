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

const aNewCall = (said: Partial<NewCall> = {}): NewCall => ({
  ...{ orgId: randomUUID(), callId: randomUUID(), userId: randomUUID(), conversationId: `conv_${randomUUID()}` },
  ...{ trainingCase: aTrainingCase(), persona: aPersona(), createdAtMs: NOON, dueAtMs: NOON + 1_800_000 },
  ...said,
});

type Batch = { RequestItems?: Record<string, { PutRequest: { Item: { sk: string } } }[] & { Keys?: unknown[] }> };

/** DynamoDB as it is when it is throttled: of each batch it does nothing, or all but the first, and says so. */
function throttled(batches: readonly ('nothing' | 'half')[]) {
  const left = [...batches];
  const seen: unknown[] = [];
  const name = `throttled-${randomUUID()}`;
  dynamoDocumentClient().middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as Batch;
      const requests = input.RequestItems?.training;
      if (requests === undefined) return next(args);
      seen.push(input);
      const how = left.shift();
      if (how === undefined) return next(args);
      const all = (requests.Keys ?? requests) as unknown[];
      const kept = how === 'nothing' ? [] : all.slice(1);
      const undone = how === 'nothing' ? all : all.slice(0, 1);
      const of = (some: unknown[]) => ({ training: requests.Keys ? { ...requests, Keys: some } : some });
      const answer = kept.length === 0 ? emptyAnswer() : await next({ ...args, input: { RequestItems: of(kept) } });
      return {
        ...answer,
        output: { ...answer.output, [requests.Keys ? 'UnprocessedKeys' : 'UnprocessedItems']: of(undone) },
      };
    },
    { step: 'initialize', name },
  );
  onTestFinished(() => void dynamoDocumentClient().middlewareStack.remove(name));
  return seen;
}

const emptyAnswer = () => ({ output: { $metadata: {} }, response: undefined });

test('finds case and persona in one strongly consistent read, and leaves out what the organization does not have', async () => {
  const orgId = randomUUID();
  const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
  const ids = { caseId: trainingCase.id, personaId: persona.id };
  const seen = throttled([]);
  const calls = await callsOf(async () => {
    expect(await createDynamoCaseAndPersonaReader().find(orgId, ids)).toEqual({ trainingCase, persona });
  });
  expect(calls).toEqual(['BatchGetItem']);
  expect(seen).toMatchObject([{ RequestItems: { training: { ConsistentRead: true } } }]);
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

test.each([[['nothing'] as const], [['half', 'nothing', 'half'] as const]])(
  'what a read left out for %j is asked for again',
  async (batches) => {
    const orgId = randomUUID();
    const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
    throttled(batches);
    const ids = { caseId: trainingCase.id, personaId: persona.id };
    expect(await createDynamoCaseAndPersonaReader().find(orgId, ids)).toEqual({ trainingCase, persona });
  },
);

test('503: a read that is left out again and again, and never a case that seems unknown', async () => {
  const orgId = randomUUID();
  const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
  const seen = throttled(['half', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing']);
  const found = createDynamoCaseAndPersonaReader().find(orgId, { caseId: trainingCase.id, personaId: persona.id });
  await expect(found).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(seen).toHaveLength(4);
});

test('a persona with more beside it is read, one that is none is a fault of ours', async () => {
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

test.each([[['nothing'] as const], [['half'] as const], [['half', 'nothing', 'nothing'] as const]])(
  'what a write left undone for %j is written in the end, once',
  async (batches) => {
    const call = aNewCall();
    throttled(batches);
    expect(await createDynamoCallCreator().add(call)).toBe('added');
    const { calls, lookups } = await storedCalls(call.orgId);
    expect([calls.length, lookups]).toMatchObject([1, [{ callId: call.callId }]]);
  },
);

test('503: a write that is left undone again and again', async () => {
  const call = aNewCall();
  throttled(['half', 'nothing', 'nothing', 'nothing', 'nothing']);
  await expect(createDynamoCallCreator().add(call)).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
  });
  expect((await storedCalls(call.orgId)).calls).toEqual([]);
});

test('a conversation that was given before is refused without a call of AWS, also to another organization', async () => {
  const calls = createDynamoCallCreator();
  const first = aNewCall();
  const second = aNewCall({ conversationId: first.conversationId });
  expect(await calls.add(first)).toBe('added');
  const made = await callsOf(async () => {
    expect(await calls.add(second)).toBe('conversation_taken');
  });
  expect(made).toEqual([]);
  expect((await storedCalls(second.orgId)).lookups).toEqual([]);
  expect((await storedCalls(first.orgId)).lookups).toMatchObject([{ callId: first.callId }]);
});

test('of two calls at once with one conversation, one is added', async () => {
  const calls = createDynamoCallCreator();
  const first = aNewCall();
  const second = aNewCall({ conversationId: first.conversationId });
  expect(await Promise.all([calls.add(first), calls.add(second)])).toEqual(['added', 'conversation_taken']);
  expect(await storedCalls(second.orgId)).toEqual({ calls: [], lookups: [] });
});

test('conversations without number can be added: only the latest are known', async () => {
  const calls = createDynamoCallCreator();
  const first = aNewCall();
  expect(await calls.add(first)).toBe('added');
  const { requestHandler } = dynamoClient().config;
  const { handle } = requestHandler;
  requestHandler.handle = () => Promise.reject(new Error('not asked'));
  const others = Array.from({ length: 1_000 }, () => calls.add(aNewCall()).catch(() => 'failed'));
  expect(new Set(await Promise.all(others))).toEqual(new Set(['failed']));
  requestHandler.handle = handle;
  expect(await calls.add(first)).toBe('added');
});

test('503: a table that can not be reached', async () => {
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
