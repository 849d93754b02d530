import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createDynamoCaseAndPersonaReader } from '../../../../shared/training/aws/dynamo-case-and-persona-reader.ts';
import { createDynamoCaseRepository } from '../../../../shared/training/aws/dynamo-case-repository.ts';
import type { TrainingCase } from '../../../../shared/training/training-case.ts';
import { anOrganization, training, trainingJson } from '../../../support/cli/training.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aTrainingCase, HOUR_MS, NOON } from '../../../support/training/calls.ts';

const { callsOf } = useDynamo();

let orgId: string;
beforeEach(async () => {
  orgId = await anOrganization();
});

const BELL = '\u0007';

const aCase = async (overrides: Partial<TrainingCase> = {}, atMs = NOON): Promise<TrainingCase> => {
  const trainingCase = aTrainingCase(overrides);
  await createDynamoCaseRepository({ now: () => atMs }).add(orgId, trainingCase);
  return trainingCase;
};

test('list: sorts newest first, marks archived cases, and omits cases of other organizations', async () => {
  const early = await aCase({ name: `A dear${BELL} offer` }, NOON);
  const late = await aCase({ name: 'A late offer', archivedAt: '2024-06-16T12:00:00.000Z' }, NOON + HOUR_MS);
  await createDynamoCaseRepository().add(randomUUID(), aTrainingCase());
  const { code, out, err } = await training('cases', 'list', orgId);
  expect([code, err]).toEqual([0, '']);
  const lines = out.trimEnd().split('\n').slice(1);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(new RegExp(`^${late.id}  2024-06-15 13:00  medium  A late offer \\(archived\\)$`));
  expect(lines[1]).toMatch(new RegExp(`^${early.id}  2024-06-15 12:00  medium  A dear\\\\u0007 offer$`));
  expect((await trainingJson('cases', 'list', orgId)).cases.map(({ id }: { id: string }) => id)).toEqual([
    late.id,
    early.id,
  ]);
});

test('list: lists 120 cases', async () => {
  const added = await Promise.all(Array.from({ length: 120 }, () => aCase()));
  const { cases } = await trainingJson('cases', 'list', orgId);
  expect(new Set(cases.map(({ id }: { id: string }) => id))).toEqual(new Set(added.map(({ id }) => id)));
});

test('show: prints a case as text, and with --json every stored attribute', async () => {
  const { id } = await aCase();
  expect((await training('cases', 'show', orgId, id)).out).toMatch(
    /objective +Agree on a second meeting\.\n.*\n.*\n.*\narchived +no\ndos +Ask what the buyer needs \(need\)\n$/,
  );
  expect(await trainingJson('cases', 'show', orgId, id)).toMatchObject({
    ...aTrainingCase({ id }),
    createdAt: new Date(NOON).toISOString(),
  });
});

test('archive: stores the current time; a repeated command changes nothing', async () => {
  const { id } = await aCase();
  expect(await trainingJson('cases', 'archive', orgId, id)).toEqual({ id, archived: true, changed: true });
  const { archivedAt } = await trainingJson('cases', 'show', orgId, id);
  expect(Date.now() - Date.parse(archivedAt)).toBeLessThan(60_000);
  const again = await training('cases', 'archive', orgId, id);
  const text = 'The case is already archived. New training sessions cannot use it.\n';
  expect([again.code, again.out]).toEqual([0, text]);
  expect((await trainingJson('cases', 'show', orgId, id)).archivedAt).toBe(archivedAt);
  const { trainingCase } = await createDynamoCaseAndPersonaReader().find(orgId, {
    caseId: id,
    personaId: randomUUID(),
  });
  expect(trainingCase?.archivedAt).toBe(archivedAt);
});

test('archive: makes one read of the organization and one write of the case', async () => {
  const { id } = await aCase();
  const calls = await callsOf(() => training('cases', 'archive', orgId, id));
  expect(calls).toEqual(['GetItem', 'UpdateItem']);
});

test('restore: clears the archive time; a repeated command changes nothing', async () => {
  const { id } = await aCase();
  await training('cases', 'archive', orgId, id);
  expect(await trainingJson('cases', 'restore', orgId, id)).toEqual({ id, archived: false, changed: true });
  expect(await trainingJson('cases', 'restore', orgId, id)).toEqual({ id, archived: false, changed: false });
  expect(await trainingJson('cases', 'show', orgId, id)).toMatchObject(aTrainingCase({ id, archivedAt: null }));
});

test.each(['show', 'archive', 'restore'])(
  '1: %s does not find a case of another organization, and changes nothing',
  async (command) => {
    const { id } = await aCase();
    const other = await anOrganization();
    const result = await training('cases', command, other, id);
    expect(result).toMatchObject({
      code: 1,
      out: '',
      err: `The organization has no case ${id}: see "training cases list".\n`,
    });
    expect((await trainingJson('cases', 'list', other)).cases).toEqual([]);
    expect((await trainingJson('cases', 'show', orgId, id)).archivedAt).toBeNull();
  },
);
