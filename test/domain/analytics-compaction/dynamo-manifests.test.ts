import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { type ListedFile, NO_MANIFEST } from '../../../shared/analytics/facts/manifest.ts';
import { dynamo } from '../../../shared/platform/clients.ts';
import { MAY_31 } from '../../support/analytics.ts';
import { useDynamo } from '../../support/dynamo.ts';

useDynamo();

const aFile = (said: Partial<ListedFile> = {}): ListedFile => ({
  name: `${randomUUID()}/${ulid()}`,
  level: 'base',
  sessions: 3,
  minTimeMs: MAY_31,
  maxTimeMs: MAY_31 + 7,
  minKey: -(2n ** 63n),
  maxKey: 2n ** 63n - 1n,
  bytes: 1_234,
  completeUntilMs: MAY_31 - 7,
  sha256: 'RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=',
  ...said,
});

const at = (version: number) => ({ ...NO_MANIFEST, version });
const holding = (...files: ListedFile[]) => ({ ...NO_MANIFEST, files });

test('a funnel without a manifest has no files, at version 0', async () => {
  expect(await dynamoManifests().read(randomUUID())).toEqual(NO_MANIFEST);
});

test('files come back as they were committed, keys to the last bit', async () => {
  const funnelId = randomUUID();
  const files = [aFile(), aFile({ level: '1', minKey: 9_007_199_254_740_993n })];
  const next = { generation: 3, files, retired: [{ name: `${funnelId}/old`, retiredMs: MAY_31 }] };
  expect(await dynamoManifests().commit(funnelId, at(0), next)).toBe('committed');
  expect(await dynamoManifests().read(funnelId)).toEqual({ ...next, version: 1 });
});

test('of commits upon the same version one wins, and the others change nothing', async () => {
  const funnelId = randomUUID();
  const manifests = dynamoManifests();
  for (const version of [0, 1]) {
    const candidates = [aFile(), aFile(), aFile()];
    const outcomes = await Promise.all(
      candidates.map((file) => manifests.commit(funnelId, at(version), holding(file))),
    );
    expect(outcomes.toSorted()).toEqual(['committed', 'conflict', 'conflict']);
    const winner = candidates[outcomes.indexOf('committed')];
    expect(await manifests.read(funnelId)).toMatchObject({ version: version + 1, files: [winner] });
  }
  expect(await manifests.commit(funnelId, at(0), holding())).toBe('conflict');
  expect(await manifests.commit(funnelId, at(7), holding())).toBe('conflict');
  expect((await manifests.read(funnelId)).files).toHaveLength(1);
});

test('another fault of a commit is not taken for a conflict', async () => {
  const item = 'x'.repeat(500_000);
  await expect(dynamoManifests().commit(randomUUID(), at(0), holding(aFile({ name: item })))).rejects.toThrow();
});

test('reads are strongly consistent', async () => {
  const sent: unknown[] = [];
  const client = dynamo();
  client.middlewareStack.add((next) => async (args) => {
    sent.push(args.input);
    return next(args);
  });
  await dynamoManifests().read(randomUUID());
  expect(sent).toMatchObject([{ ConsistentRead: true }]);
});

test('a damaged manifest is an error, not an empty funnel', async () => {
  const funnelId = randomUUID();
  await dynamoManifests().commit(funnelId, at(0), holding(aFile({ level: 'unknown' as '1' })));
  await expect(dynamoManifests().read(funnelId)).rejects.toThrow();
});
