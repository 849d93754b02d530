import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDynamoCaseAndPersonaReader } from '../../../../shared/training/aws/dynamo-case-and-persona-reader.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { failConnections, throttleBatches } from '../../../support/training/failing-batches.ts';
import { storedCase, storedPersona } from '../../../support/training/sessions.ts';

const { callsOf } = useDynamo();

test('case and persona are found in one strongly consistent read, and are undefined for unknown ids', async () => {
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
  'case and persona are read even if the first batches leave keys unprocessed (processed keys: %j)',
  async (batches) => {
    const orgId = randomUUID();
    const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
    throttleBatches(batches);
    const ids = { caseId: trainingCase.id, personaId: persona.id };
    expect(await createDynamoCaseAndPersonaReader().find(orgId, ids)).toEqual({ trainingCase, persona });
  },
);

test('503: reading case and persona fails if keys stay unprocessed after all retries', async () => {
  const orgId = randomUUID();
  const [trainingCase, persona] = [await storedCase(orgId), await storedPersona(orgId)];
  const inputs = throttleBatches(['all-but-one', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing']);
  const found = createDynamoCaseAndPersonaReader().find(orgId, { caseId: trainingCase.id, personaId: persona.id });
  await expect(found).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(inputs).toHaveLength(4);
});

test('additional attributes of a persona are ignored, and reading an invalid persona throws', async () => {
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

test('reading case and persona throws UnavailableError while the table cannot be reached', async () => {
  failConnections();
  const ids = { caseId: randomUUID(), personaId: randomUUID() };
  const found = createDynamoCaseAndPersonaReader().find(randomUUID(), ids);
  await expect(found).rejects.toMatchObject({ name: 'UnavailableError' });
});
