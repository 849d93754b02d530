import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import {
  createConsistentFunnelReader,
  createDynamoFunnelOwnershipRepository,
  createDynamoFunnelRepository,
} from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { Field, Funnel, FunnelVersion } from '../../../../shared/funnels/funnel.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const aFunnel = (overrides: Partial<Funnel> = {}) => {
  const id = randomUUID();
  const versionId = randomUUID();
  return {
    funnel: Funnel.parse({ id, orgId: randomUUID(), publishedVersionId: versionId, ...overrides }),
    version: FunnelVersion.parse({ id: versionId, funnelId: id, fields: [{ id: 'name', type: 'text' }] }),
  };
};

test('a published funnel, its version and its owner are found by their ids', async () => {
  const { funnel, version } = aFunnel();
  await createDirectoryWriter().publishFunnel(funnel, version);
  const funnels = createDynamoFunnelRepository();
  expect(await funnels.find(funnel.id)).toEqual(funnel);
  expect(await funnels.findVersion(funnel, version.id)).toEqual(version);
  expect(await createDynamoFunnelOwnershipRepository().ownsFunnel(funnel.orgId, funnel.id)).toBe(true);
  expect(await createDynamoFunnelOwnershipRepository().ownsFunnel(randomUUID(), funnel.id)).toBe(false);
});

test('findVersion does not find a version of another funnel', async () => {
  const { funnel, version } = aFunnel();
  await createDirectoryWriter().publishFunnel(funnel, version);
  expect(await createDynamoFunnelRepository().findVersion({ ...funnel, id: randomUUID() }, version.id)).toBeUndefined();
});

test('a change of a funnel is visible after at most 30 s, and a new funnel is visible immediately', async () => {
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

test.each([
  [
    'findVersion reads strongly consistently, because a funnel may be visible before its version',
    ({ funnel, version }: ReturnType<typeof aFunnel>) => createDynamoFunnelRepository().findVersion(funnel, version.id),
  ],
  [
    'createConsistentFunnelReader reads strongly consistently',
    ({ funnel }: ReturnType<typeof aFunnel>) => createConsistentFunnelReader().find(funnel.id),
  ],
])('%s', async (_, read) => {
  const published = aFunnel();
  await createDirectoryWriter().publishFunnel(published.funnel, published.version);
  const reads: unknown[] = [];
  const name = 'recordReads';
  dynamoDocumentClient().middlewareStack.add(
    (next) => async (args) => {
      reads.push((args.input as { ConsistentRead?: boolean }).ConsistentRead);
      return next(args);
    },
    { step: 'initialize', name },
  );
  expect(await read(published)).toBeDefined();
  dynamoDocumentClient().middlewareStack.remove(name);
  expect(reads).toContain(true);
});

test('publishing a version with 51 consents throws and writes nothing, and a version with 50 consents is published', async () => {
  const { funnel, version } = aFunnel();
  const consent = (id: number) => Field.parse({ id: `consent ${id}`, type: 'consent' });
  const of = (count: number) => ({ ...version, fields: Array.from({ length: count }, (_, id) => consent(id)) });
  await expect(createDirectoryWriter().publishFunnel(funnel, of(51))).rejects.toThrow(
    'declares 51 consents. The maximum is 50.',
  );
  expect(await createDynamoFunnelRepository().find(funnel.id)).toBeUndefined();
  expect(await createDynamoFunnelRepository().findVersion(funnel, version.id)).toBeUndefined();
  await createDirectoryWriter().publishFunnel(funnel, of(50));
  expect(await createDynamoFunnelRepository().find(funnel.id)).toEqual(funnel);
});
