import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { createDynamoFunnelAdminRepository } from '../../../../infra/cli/funnels/dynamo-funnel-admin-repository.ts';
import { getDefinition } from '../../../../infra/cli/funnels/funnel-lifecycle.ts';
import { planDefinition } from '../../../../infra/cli/funnels/publication.ts';
import { DEMO_IDS } from '../../../../infra/local/seed/demo-ids.ts';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { PEOPLE } from '../../../../infra/local/seed/people.ts';
import { DEMO_ORGANIZATIONS, seedDirectory } from '../../../../infra/local/seed/seed-directory.ts';
import { demoUploadBlock } from '../../../../infra/local/seed/seed-pages.ts';
import { seedTraining } from '../../../../infra/local/seed/seed-training.ts';
import {
  createDynamoFunnelOwnershipRepository,
  createDynamoFunnelRepository,
} from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoMembershipRepository } from '../../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { deriveUserId } from '../../../../shared/organizations/user-id.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createDynamoCallReader } from '../../../../shared/training/aws/dynamo-call-reader.ts';
import { createDynamoCallRepository } from '../../../../shared/training/aws/dynamo-call-repository.ts';
import { createDynamoCaseAndPersonaReader } from '../../../../shared/training/aws/dynamo-case-and-persona-reader.ts';
import { useDynamo } from '../../../support/dynamo.ts';

const ISSUER = 'http://issuer.example';
const memberA = deriveUserId(ISSUER, PEOPLE.memberA.subject);

useDynamo();

beforeAll(async () => {
  await seedDirectory(ISSUER);
  await seedTraining(ISSUER, Date.UTC(2026, 4, 31));
});

test.each(Object.entries(PEOPLE))('%s has exactly the roles that PEOPLE lists', async (_, { subject, memberships }) => {
  for (const name of ['a', 'b'] as const) {
    const role = await createDynamoMembershipRepository().findRole(
      DEMO_ORGANIZATIONS[name].id,
      deriveUserId(ISSUER, subject),
    );
    expect(role).toBe(memberships.find(({ organization }) => organization === name)?.role);
  }
});

test('organization A owns both published funnels; one of these funnels has no fields', async () => {
  const fieldCounts = [];
  for (const id of [DEMO_IDS.funnel, DEMO_IDS.emptyFunnel]) {
    const funnel = await createDynamoFunnelRepository().find(id);
    expect(funnel).toMatchObject({ orgId: DEMO_IDS.organizationA, unpublishedAt: null, archivedAt: null });
    expect(await createDynamoFunnelOwnershipRepository().ownsFunnel(DEMO_IDS.organizationA, id)).toBe(true);
    expect(await createDynamoFunnelOwnershipRepository().ownsFunnel(DEMO_IDS.organizationB, id)).toBe(false);
    fieldCounts.push((funnel && (await createDynamoFunnelRepository().findVersion(funnel)))?.fields.length);
  }
  expect(fieldCounts).toEqual([16, 0]);
});

test('the funnels of the demo have names; publishing the exported file of the demo funnel changes nothing', async () => {
  const funnels = createDynamoFunnelAdminRepository(dynamoDocumentClient());
  await createDirectoryWriter().putUploadBlock(DEMO_IDS.organizationA, demoUploadBlock());
  expect((await funnels.find(DEMO_IDS.emptyFunnel))?.name).toBe('Any data');
  const file = await getDefinition(funnels, DEMO_IDS.funnel);
  expect(file).toMatchObject({ name: 'Solar check', uploadBlocks: [{ id: DEMO_IDS.uploadBlock }] });
  const { blocks, isAlreadyPublished } = await planDefinition(funnels, DEMO_IDS.funnel, file);
  expect([blocks.map(({ id }) => id), isAlreadyPublished]).toEqual([[DEMO_IDS.uploadBlock], true]);
});

test('the demo has an active case, an archived case, a persona in English, and a persona in German', async () => {
  const [caseId, archivedId] = [DEMO_IDS.trainingCase, DEMO_IDS.archivedCase];
  const languages = [];
  for (const personaId of DEMO_IDS.personas) {
    const { trainingCase, persona } = await createDynamoCaseAndPersonaReader().find(DEMO_IDS.organizationA, {
      caseId,
      personaId,
    });
    expect(trainingCase?.archivedAt).toBeNull();
    languages.push(persona?.language);
  }
  expect(languages).toEqual(['en', 'de']);
  const archived = { caseId: archivedId, personaId: DEMO_IDS.personas[0] };
  const { trainingCase } = await createDynamoCaseAndPersonaReader().find(DEMO_IDS.organizationA, archived);
  expect(trainingCase?.archivedAt).toMatch(/^2026-/);
});

test('the ready call has a recording, is not due for a sweep, and is found by the id of its conversation', async () => {
  const ids = { orgId: DEMO_IDS.organizationA, callId: DEMO_IDS.readyCall };
  const found = await createDynamoCallReader().find(ids);
  expect(found).toMatchObject({ userId: memberA, status: 'ready', recordingKey: expect.stringMatching(/\.mp3$/) });
  expect((await createDynamoCallRepository().find(ids))?.dueAtMs).toBeUndefined();
  expect(await createDynamoCallRepository().findIdsByConversation(`${found?.conversationId}`)).toEqual(ids);
});

test('the ready call belongs to member A, its evidence quotes its transcript, and its points add up to its score', async () => {
  const key = { pk: `org#${DEMO_IDS.organizationA}`, sk: `call#${DEMO_IDS.readyCall}` };
  const { Item: call } = await dynamoDocumentClient().send(new GetCommand({ TableName: 'training', Key: key }));
  expect(call).toMatchObject({ userId: memberA, status: 'ready', caseSnapshot: { id: DEMO_IDS.trainingCase } });
  const said: { message: string; timeInCallSecs: number }[] = JSON.parse(call?.transcript);
  const dos: { evidence: { quote: string; timeInCallSecs: number }[] }[] = JSON.parse(call?.analysis).dos;
  for (const { quote, timeInCallSecs } of dos.flatMap(({ evidence }) => evidence)) {
    expect(said.find((turn) => turn.timeInCallSecs === timeInCallSecs)?.message).toContain(quote);
  }
  const { total, criteria } = JSON.parse(call?.score);
  expect(total).toBe(criteria.reduce((sum: number, { score }: { score: number }) => sum + score, 0));
});
