import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { ensureTable, tableDefinition } from '../../../../infra/local/runtime/resource-creation.ts';
import { TABLES } from '../../../../infra/stacks/data/tables.ts';
import { createDynamoTombstoneRepository } from '../../../../shared/analytics/facts/aws/dynamo-tombstones.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { leadItemKey } from '../../../../shared/leads/aws/lead-item.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { admin } from '../../../support/cli/admin.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChange } from '../../../support/leads/lead-repository.ts';

useDynamo();

/** Name of the restored table. In a deployment, `aws dynamodb restore-table-to-point-in-time` creates such a table. */
let backup: string;
let funnelId: string;
beforeEach(async () => {
  [backup, funnelId] = [`leads-${randomUUID()}`, randomUUID()];
  const shape = TABLES.find(({ name }) => name === 'leads');
  if (shape === undefined) throw new Error('There is no table of leads.');
  const client = new DynamoDBClient({});
  await ensureTable(client, tableDefinition(shape, backup));
  client.destroy();
});

const restore = (...args: string[]) =>
  admin(['backups', 'restore-items', 'leads', '--stage', 'dev', '--from', backup, ...args]);
const restored = async (...args: string[]) => JSON.parse((await restore('--yes', '--json', ...args)).out);

const live = async (leadId: string) =>
  (await dynamoDocumentClient().send(new GetCommand({ TableName: 'leads', Key: leadItemKey({ funnelId, leadId }) })))
    .Item;
const remove = (leadId: string) =>
  dynamoDocumentClient().send(new DeleteCommand({ TableName: 'leads', Key: leadItemKey({ funnelId, leadId }) }));

/** Stores a lead in the live table and in the backup. Only the item in the backup gets `expiresAt`. */
async function aLead(expiresAt?: number): Promise<string> {
  const leadId = randomUUID();
  await createDynamoLeadRepository().create({ funnelId, leadId }, aLeadChange());
  const Item = { ...(await live(leadId)), ...(expiresAt && { expiresAt }) };
  await dynamoDocumentClient().send(new PutCommand({ TableName: backup, Item }));
  return leadId;
}
const change = async (leadId: string) =>
  dynamoDocumentClient().send(new PutCommand({ TableName: 'leads', Item: { ...(await live(leadId)), submits: 7 } }));

test('restore-items restores missing leads, adds them to the outbox, and leaves existing leads unchanged', async () => {
  const [lost, changed] = [await aLead(), await aLead()];
  const before = await live(lost);
  await remove(lost);
  await change(changed);
  const startedMs = Date.now();
  expect(await restored()).toEqual({ restored: 1, kept: 1, erased: 0 });
  const after = await live(lost);
  const at = after?.changedAt;
  expect(after).toEqual({ ...before, seq: Date.parse(at), changedAt: at, dueAt: at, dispatchBy: at });
  expect(Date.parse(at)).toBeGreaterThanOrEqual(startedMs);
  expect(await live(changed)).toMatchObject({ submits: 7 });
  expect(await restored()).toEqual({ restored: 0, kept: 2, erased: 0 });
});

test('with --replace, restore-items overwrites only the existing items whose partition key begins with the given prefix', async () => {
  const changed = await aLead();
  await change(changed);
  expect(await restored('--replace', '--prefix', `lead#${randomUUID()}`)).toMatchObject({ restored: 0 });
  expect(await live(changed)).toMatchObject({ submits: 7 });
  expect(await restored('--replace', '--prefix', `lead#${funnelId}`)).toEqual({ restored: 1, kept: 0, erased: 0 });
  expect(await live(changed)).toMatchObject({ submits: 1 });
});

test('restore-items skips expired items, and leads that an operator erased after the backup', async () => {
  const [erased, expired] = [await aLead(), await aLead(Math.floor(Date.now() / 1_000) - 60)];
  await createDynamoTombstoneRepository().addLeads(funnelId, [erased]);
  for (const leadId of [erased, expired]) await remove(leadId);
  expect(await restored()).toEqual({ restored: 0, kept: 0, erased: 1 });
  expect([await live(erased), await live(expired)]).toEqual([undefined, undefined]);
});

test('a dry run reports what would be restored, and changes nothing', async () => {
  const [lost, there] = [await aLead(), await aLead()];
  await remove(lost);
  const result = await restore('--dry-run');
  expect(result.out).toMatch(/would be restored +1\nexist already +1\n/);
  expect(result.err).toContain('Nothing was changed.');
  expect(await live(lost)).toBeUndefined();
  expect(await live(there)).toBeDefined();
});

test.each([
  ['directory', /restores members, funnels, pages and domains/],
  ['leads', /leads that retention erased/],
  ['uploads', /records of files that were removed/],
  ['training', /calls that were erased/],
])(
  '1: restore-items warns which removed data of the table %s would return, then fails if the backup is missing',
  async (table, sentence) => {
    const { code, err } = await admin(['backups', 'restore-items', table, '--stage', 'dev', '--from', 'nowhere']);
    expect([code, err]).toEqual([1, expect.stringMatching(sentence)]);
  },
);

test.each([
  [1, ['--from', 'leads'], /is the live table/],
  [2, ['--replace'], /--replace needs --prefix/],
  [1, ['--from', 'nowhere'], /There is no table nowhere/],
])('%d: restore-items rejects the options %j and restores nothing', async (exitCode, args, sentence) => {
  const lost = await aLead();
  await remove(lost);
  const { code, err } = await admin([
    'backups',
    'restore-items',
    'leads',
    '--stage',
    'dev',
    '--from',
    backup,
    '--yes',
    ...args,
  ]);
  expect([code, err]).toEqual([exitCode, expect.stringMatching(sentence)]);
  expect(await live(lost)).toBeUndefined();
});

test('2: restore-items rejects the table `limits`; 1: restore-items restores nothing without a confirmation', async () => {
  const limits = await admin(['backups', 'restore-items', 'limits', '--stage', 'dev', '--from', backup]);
  expect(limits).toMatchObject({
    code: 2,
    err: expect.stringContaining('directory, leads, uploads, training or webhooks'),
  });
  const lost = await aLead();
  await remove(lost);
  expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(await live(lost)).toBeUndefined();
});
