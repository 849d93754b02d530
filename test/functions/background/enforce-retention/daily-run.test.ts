import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import type { createHandler as CreateHandler } from '../../../../functions/background/enforce-retention/handler.ts';
import { createDirectoryWriter } from '../../../../infra/local/seed/directory-writer.ts';
import { organizationKey } from '../../../../shared/organizations/aws/keys.ts';
import { Organization, type RetentionPeriods } from '../../../../shared/organizations/organization.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createDynamoOrganizationRetentionReader } from '../../../../shared/privacy/aws/dynamo-organization-retention-reader.ts';
import type { RetentionRunPorts } from '../../../../shared/privacy/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { DAY_MS, retentionWorld } from '../../../support/privacy/retention.ts';

useDynamo();

let createHandler: typeof CreateHandler;
beforeAll(async () => {
  // Imports the handler after `useDynamo`, because the import creates adapters, which read the settings of `useDynamo`.
  ({ createHandler } = await import('../../../../functions/background/enforce-retention/handler.ts'));
});

const stored = async (retention: RetentionPeriods = {}): Promise<string> => {
  const id = randomUUID();
  await createDirectoryWriter().putOrganization(Organization.parse({ id, name: 'Northlight', retention }));
  return id;
};

test('the retention reader lists every organization and reads its current retention periods', async () => {
  const organizations = createDynamoOrganizationRetentionReader();
  const [plain, kept] = [await stored(), await stored({ leadDays: 7 })];
  expect((await organizations.listIds()).toSorted()).toEqual([plain, kept].toSorted());
  expect(await organizations.find(plain)).toEqual({ retention: {} });
  expect(await organizations.find(kept)).toEqual({ retention: { leadDays: 7 } });
  const Item = { ...organizationKey(kept), name: 7, retention: { leadDays: 9 } };
  await dynamoDocumentClient().send(new PutCommand({ TableName: 'directory', Item }));
  expect(await organizations.find(kept)).toEqual({ retention: { leadDays: 9 } });
  expect(await organizations.find(randomUUID())).toBeUndefined();
});

test('the retention reader throws an error that names an invalid retention period', async () => {
  const orgId = await stored();
  const Item = { ...organizationKey(orgId), retention: { leadDays: 0 } };
  await dynamoDocumentClient().send(new PutCommand({ TableName: 'directory', Item }));
  await expect(createDynamoOrganizationRetentionReader().find(orgId)).rejects.toThrow('leadDays');
});

/** Runs the function with in-memory ports. Returns its metrics and its error. */
async function run(world: ReturnType<typeof retentionWorld>) {
  const counts = new Map<string, number>();
  const log = { ...world.log, recordMetric: (metric: string, value = 1) => void counts.set(metric, value) };
  const ports: RetentionRunPorts = { ...world.processOf(), log };
  const failure = await createHandler(ports)().then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { counts: Object.fromEntries(counts), failure };
}

test('a run records the number of erased calls as a metric', async () => {
  const world = retentionWorld();
  world.call(world.organization({ callDays: 1 }), 2 * DAY_MS);
  expect(await run(world)).toEqual({ counts: { Retention_calls_erased: 1 }, failure: undefined });
});

test('a run fails at its end if an erasure failed, so that an alarm is raised', async () => {
  const world = retentionWorld();
  const orgId = world.organization({ callDays: 1, leadDays: 1 });
  world.call(orgId, 2 * DAY_MS);
  world.lead(world.funnel(orgId), 2 * DAY_MS);
  world.provider.reachable = false;
  expect(await run(world)).toEqual({
    counts: { Retention_calls_failed: 1, Retention_leads_erased: 1 },
    failure: 'Some data whose retention period has ended could not be erased (calls_failed: 1). The next run retries.',
  });
});

test('if the provider responds within 200 ms, one run erases 10,000 due calls, at most four at a time', async () => {
  const world = retentionWorld();
  const orgId = world.organization({ callDays: 1 });
  for (let at = 0; at < 10_000; at++) world.call(orgId, 2 * DAY_MS + at);
  // Removes all objects, because the in-memory store would scan them for each call.
  world.objects.clear();
  let underWay = 0;
  let most = 0;
  const counts = await world.run(async (effect, work) => {
    if (effect !== 'voice.deleteConversation') return work();
    most = Math.max(most, ++underWay);
    world.clock.ms += 50;
    return work().finally(() => underWay--);
  });
  expect(counts).toEqual({ calls_erased: 10_000 });
  expect(most).toBeLessThanOrEqual(4);
  expect(world.calls.stored.size).toBe(0);
});
