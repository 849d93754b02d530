import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { Field, Funnel, FunnelVersion } from '../../../../shared/funnels/funnel.ts';
import { createDynamoMembershipRepository } from '../../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { createDynamoOrganizationRepository } from '../../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const aFunnel = (said: Partial<Funnel> = {}) => {
  const id = randomUUID();
  const versionId = randomUUID();
  return {
    funnel: Funnel.parse({ id, orgId: randomUUID(), publishedVersionId: versionId, ...said }),
    version: FunnelVersion.parse({ id: versionId, funnelId: id, fields: [{ id: 'name', type: 'text' }] }),
  };
};

test('a published funnel is found by its id alone, with its version, and belongs to its organization only', async () => {
  const { funnel, version } = aFunnel();
  await createDirectoryWriter().publishFunnel(funnel, version);
  const funnels = createDynamoFunnelRepository();
  expect(await funnels.find(funnel.id)).toEqual(funnel);
  expect(await funnels.findVersion(funnel, version.id)).toEqual(version);
  expect(await createDynamoOrganizationRepository().ownsFunnel(funnel.orgId, funnel.id)).toBe(true);
  expect(await createDynamoOrganizationRepository().ownsFunnel(randomUUID(), funnel.id)).toBe(false);
});

test("another funnel's version is not found", async () => {
  const { funnel, version } = aFunnel();
  await createDirectoryWriter().publishFunnel(funnel, version);
  expect(await createDynamoFunnelRepository().findVersion({ ...funnel, id: randomUUID() }, version.id)).toBeUndefined();
});

test('a change of a funnel is seen after 30 s at the latest, a funnel created after a look-up at once', async () => {
  const { funnel, version } = aFunnel();
  let now = 0;
  const funnels = createDynamoFunnelRepository({ now: () => now });
  expect(await funnels.find(funnel.id)).toBeUndefined();
  await createDirectoryWriter().publishFunnel(funnel, version);
  expect(await funnels.find(funnel.id)).toEqual(funnel);
  const archived = { ...funnel, archivedAt: '2026-01-01T00:00:00.000Z' };
  await createDirectoryWriter().publishFunnel(archived, version);
  now = 29_999;
  expect(await funnels.find(funnel.id)).toEqual(funnel);
  now = 30_000;
  expect(await funnels.find(funnel.id)).toEqual(archived);
});

test('a role holds in its organization only, and a changed one with the next read', async () => {
  const [orgId, userId] = [randomUUID(), randomUUID()];
  const memberships = createDynamoMembershipRepository();
  await createDirectoryWriter().putMember(orgId, userId, 'admin');
  expect(await memberships.findRole(orgId, userId)).toBe('admin');
  expect(await memberships.findRole(randomUUID(), userId)).toBeUndefined();
  await createDirectoryWriter().putMember(orgId, userId, 'member');
  expect(await memberships.findRole(orgId, userId)).toBe('member');
});

test('a version is read strongly consistently: a pointer may be seen before it', async () => {
  const { funnel, version } = aFunnel();
  await createDirectoryWriter().publishFunnel(funnel, version);
  const reads: unknown[] = [];
  const name = 'recordReads';
  dynamoDocumentClient().middlewareStack.add(
    (next) => async (args) => {
      reads.push((args.input as { ConsistentRead?: boolean }).ConsistentRead);
      return next(args);
    },
    { step: 'initialize', name },
  );
  await createDynamoFunnelRepository().findVersion(funnel, version.id);
  dynamoDocumentClient().middlewareStack.remove(name);
  expect(reads).toContain(true);
});

test('a version with more consents than a lead can keep is not published, and leaves nothing', async () => {
  const { funnel, version } = aFunnel();
  const consent = (id: number) => Field.parse({ id: `consent ${id}`, type: 'consent' });
  const of = (count: number) => ({ ...version, fields: Array.from({ length: count }, (_, id) => consent(id)) });
  await expect(createDirectoryWriter().publishFunnel(funnel, of(51))).rejects.toThrow('at most 50 consents');
  expect(await createDynamoFunnelRepository().find(funnel.id)).toBeUndefined();
  expect(await createDynamoFunnelRepository().findVersion(funnel, version.id)).toBeUndefined();
  await createDirectoryWriter().publishFunnel(funnel, of(50));
  expect(await createDynamoFunnelRepository().find(funnel.id)).toEqual(funnel);
});
