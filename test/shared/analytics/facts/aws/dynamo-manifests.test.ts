import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { createDynamoFreshFactRepository } from '../../../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestRepository } from '../../../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { EMPTY_MANIFEST, type ListedFile } from '../../../../../shared/analytics/facts/manifest.ts';
import { dynamoDocumentClient } from '../../../../../shared/platform/aws/dynamo-client.ts';
import { MAY_31 } from '../../../../support/analytics/analytics.ts';
import { useDynamo } from '../../../../support/dynamo.ts';

const { callsOf } = useDynamo();

const aFile = (overrides: Partial<ListedFile> = {}): ListedFile => ({
  name: `${randomUUID()}/${ulid()}`,
  level: 'base',
  factCount: 3,
  minTimeMs: MAY_31,
  maxTimeMs: MAY_31 + 7,
  minKey: -(2n ** 63n),
  maxKey: 2n ** 63n - 1n,
  bytes: 1_234,
  completeUntilMs: MAY_31 - 7,
  sha256: 'RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=',
  ...overrides,
});

const at = (version: number) => ({ ...EMPTY_MANIFEST, version });
const holding = (...files: ListedFile[]) => ({ ...EMPTY_MANIFEST, files });

test('read returns an empty manifest of version 0 for a funnel without a manifest', async () => {
  expect(await createDynamoManifestRepository().read(randomUUID())).toEqual(EMPTY_MANIFEST);
});

test('a manifest is read as it was committed, even if session keys are beyond 53 bits', async () => {
  const funnelId = randomUUID();
  const files = [aFile(), aFile({ level: '1', minKey: 9_007_199_254_740_993n })];
  const retired = [
    { name: `${funnelId}/old`, retiredMs: MAY_31 },
    { name: `${funnelId}/erased`, retiredMs: MAY_31, purgeVersions: true as const },
  ];
  const next = { generation: 3, files, retired };
  expect(await createDynamoManifestRepository().replaceIfUnchanged(funnelId, at(0), next)).toBe(true);
  expect(await createDynamoManifestRepository().read(funnelId)).toEqual({ ...next, version: 1 });
});

test('stored manifests use other attribute names: `sessions` for `factCount`, and `forGood` for `purgeVersions`', async () => {
  const funnelId = randomUUID();
  const retired = [{ name: `${funnelId}/erased`, retiredMs: MAY_31, purgeVersions: true as const }];
  const next = { ...holding(aFile({ factCount: 3 })), retired };
  await createDynamoManifestRepository().replaceIfUnchanged(funnelId, at(0), next);
  const { Item } = await dynamoDocumentClient().send(
    new GetCommand({ TableName: 'analytics', Key: { pk: `funnel#${funnelId}`, sk: 'manifest' } }),
  );
  expect(Item?.files).toEqual([expect.objectContaining({ sessions: 3 })]);
  expect(Item?.files[0]).not.toHaveProperty('factCount');
  expect(Item?.retired).toEqual([{ name: `${funnelId}/erased`, retiredMs: MAY_31, forGood: true }]);
});

test('of several commits to the same version of a manifest, exactly one succeeds; the others change nothing', async () => {
  const funnelId = randomUUID();
  const manifests = createDynamoManifestRepository();
  for (const version of [0, 1]) {
    const candidates = [aFile(), aFile(), aFile()];
    const written = await Promise.all(
      candidates.map((file) => manifests.replaceIfUnchanged(funnelId, at(version), holding(file))),
    );
    expect(written.toSorted()).toEqual([false, false, true]);
    const winner = candidates[written.indexOf(true)];
    expect(await manifests.read(funnelId)).toMatchObject({ version: version + 1, files: [winner] });
  }
  expect(await manifests.replaceIfUnchanged(funnelId, at(0), holding())).toBe(false);
  expect(await manifests.replaceIfUnchanged(funnelId, at(7), holding())).toBe(false);
  expect((await manifests.read(funnelId)).files).toHaveLength(1);
});

test('replaceIfUnchanged throws if the write fails for another reason than a conflict', async () => {
  const tooLongForAKey = 'x'.repeat(3_000);
  const commit = createDynamoManifestRepository().replaceIfUnchanged(tooLongForAKey, at(0), holding(aFile()));
  await expect(commit).rejects.toMatchObject({ name: 'ValidationException' });
});

test('manifests are read strongly consistently', async () => {
  const sent: unknown[] = [];
  const client = dynamoDocumentClient();
  client.middlewareStack.add((next) => async (args) => {
    sent.push(args.input);
    return next(args);
  });
  await createDynamoManifestRepository().read(randomUUID());
  expect(sent).toMatchObject([{ ConsistentRead: true }]);
});

test('reading a damaged manifest throws', async () => {
  const funnelId = randomUUID();
  await createDynamoManifestRepository().replaceIfUnchanged(
    funnelId,
    at(0),
    holding(aFile({ level: 'unknown' as '1' })),
  );
  await expect(createDynamoManifestRepository().read(funnelId)).rejects.toThrow();
});

test('listFunnelsWithLevel1Files returns each funnel with level 1 files, and the time of its oldest level 1 file', async () => {
  const funnelId = randomUUID();
  const manifests = createDynamoManifestRepository();
  const level1File = (ms: number) => aFile({ level: '1', name: `${funnelId}/${ulid(ms)}` });
  const own = async () => (await manifests.listFunnelsWithLevel1Files()).filter((each) => each.funnelId === funnelId);
  await manifests.replaceIfUnchanged(funnelId, at(0), holding(aFile()));
  expect(await own()).toEqual([]);
  await manifests.replaceIfUnchanged(funnelId, at(1), holding(aFile(), level1File(MAY_31 + 5), level1File(MAY_31 + 3)));
  expect(await own()).toEqual([{ funnelId, oldestMs: MAY_31 + 3 }]);
  await manifests.replaceIfUnchanged(funnelId, at(2), holding(aFile()));
  expect(await own()).toEqual([]);
});

test('listPendingFunnels does not return a funnel without fresh facts, even if it has level 1 files', async () => {
  const funnelId = randomUUID();
  await createDynamoManifestRepository().replaceIfUnchanged(funnelId, at(0), holding(aFile({ level: '1' })));
  const pending = await createDynamoFreshFactRepository().listPendingFunnels();
  expect(pending.map((each) => each.funnelId)).not.toContain(funnelId);
});

describe('a large manifest', () => {
  /** A manifest with long names, session keys and file sizes. */
  const long = (files: number, retired: number) => ({
    ...EMPTY_MANIFEST,
    files: Array.from({ length: files }, () =>
      aFile({ name: `${randomUUID()}/${ulid()}`, minKey: -(2n ** 63n), maxKey: -(2n ** 62n), bytes: 123_456_789 }),
    ),
    retired: Array.from({ length: retired }, () => ({
      name: `${randomUUID()}/${ulid()}`,
      retiredMs: MAY_31,
      purgeVersions: true as const,
    })),
  });

  test.each([
    [1_000, 0],
    [0, 3_000],
    [500, 1_300],
  ])('with %i files and %i retired files is stored', async (files, retired) => {
    const funnelId = randomUUID();
    expect(await createDynamoManifestRepository().replaceIfUnchanged(funnelId, at(0), long(files, retired))).toBe(true);
    expect((await createDynamoManifestRepository().read(funnelId)).files).toHaveLength(files);
  });

  test('is not written if it is too large for an item; the error names the funnel and the numbers of files', async () => {
    const next = long(1_500, 20);
    const funnelId = randomUUID();
    const calls = await callsOf(async () => {
      await expect(createDynamoManifestRepository().replaceIfUnchanged(funnelId, at(0), next)).rejects.toThrow(
        `The manifest of the funnel ${funnelId}, with 1500 files and 20 retired files, is too large for a DynamoDB item.`,
      );
    });
    expect(calls).toEqual([]);
  });
});
