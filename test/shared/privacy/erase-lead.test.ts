import { describe, expect, test } from 'vitest';
import { createDynamoLeadIndexReader } from '../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import { createDynamoLeadOutbox } from '../../../shared/leads/aws/dynamo-lead-outbox.ts';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import { createDynamoLeadVerificationRepository } from '../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import type { LeadKey } from '../../../shared/leads/lead.ts';
import { hashToken } from '../../../shared/leads/lead-handle.ts';
import { paginateErasingLeads, paginateLeads } from '../../../shared/leads/paginate-leads.ts';
import { dynamoClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { eraseLead } from '../../../shared/privacy/erase-lead.ts';
import { createLeadEraser } from '../../../shared/privacy/retention-erasers.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { crashAtEffect } from '../../support/fault-injection.ts';
import { DAY_MS, NOON } from '../../support/leads/lead-repository.ts';
import { aLeadChangeOf, readLeadItem, storeLead, toOldRetention } from '../../support/leads/stored-leads.ts';
import { nameOf, ORG, setUpErasing, storeLeadWithFiles } from '../../support/privacy/erasing-leads.ts';
import { readUpload } from '../../support/uploads/stored-uploads.ts';

useDynamo();

const expectTombstone = async (key: LeadKey) =>
  expect(Object.keys(await readLeadItem(key)).sort()).toEqual(['dueAt', 'dueShard', 'erasedAt', 'pk', 'seq', 'sk']);

async function all<T>(these: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of these) found.push(one);
  return found;
}

describe('the erasure of a lead', () => {
  test('removes the lead and its files, except files of other leads, and keeps a tombstone without data of the lead', async () => {
    const { aFile, erased, objects, incoming, clock } = setUpErasing();
    const key = await storeLead();
    const file = await aFile([key]);
    await createDynamoLeadRepository().merge(key, aLeadChangeOf({ deep: { files: [file.uuid.toUpperCase()] } }));
    expect(await erased(key)).toEqual({ outcome: 'erased', filesErased: 1, filesShared: 0 });
    expect(await readUpload(file)).toBeUndefined();
    expect([objects.size, incoming.size]).toEqual([0, 0]);
    await expectTombstone(key);
    expect(await readLeadItem(key)).toMatchObject({ seq: NOON + 2, erasedAt: new Date(clock.now()).toISOString() });
    expect(await erased(key)).toEqual({ outcome: 'not_found', filesErased: 0, filesShared: 0 });
  });

  test('removes the webhook messages about the lead even if DynamoDB has already deleted the lead', async () => {
    const { erasing } = setUpErasing();
    const lead = { orgId: ORG, funnelId: ORG, leadId: '7b1f9f0e-53a7-4b0c-9a43-1f9d7a3c5e11' };
    const erasedLeads: LeadKey[] = [];
    const deliveries = { erase: async (key: LeadKey) => void erasedLeads.push(key) };
    expect(await eraseLead({ ...erasing, deliveries }, lead)).toMatchObject({ outcome: 'not_found' });
    expect(erasedLeads).toEqual([lead]);
  });

  test('hides the lead, and prevents a new lead with the same id until a day after the erasure was dispatched', async () => {
    const { erased, clock } = setUpErasing();
    const key = await storeLead();
    await erased(key);
    expect(await createDynamoLeadRepository().merge(key, aLeadChangeOf({ name: 'Ada' }))).toBe('unknown_lead');
    expect(await createDynamoLeadRepository().create(key, aLeadChangeOf({ name: 'Ada' }))).toEqual({
      outcome: 'erased',
    });
    const verified = { before: undefined, after: '{}', isVerification: true };
    const proof = { ...key, tokenHash: hashToken('token'), atMs: NOON };
    expect(await createDynamoLeadVerificationRepository().find(proof, ['name'])).toEqual({ outcome: 'unknown_lead' });
    expect(await createDynamoLeadVerificationRepository().replace(proof, verified)).toBe(false);
    await expectTombstone(key);
    const later = aLeadChangeOf({ name: 'Eve' }, { atMs: NOON + 2 * DAY_MS });
    expect(await createDynamoLeadRepository().create(key, later)).toEqual({ outcome: 'erased' });
    expect(await createDynamoLeadOutbox(clock).clear(key, { state: 'erased', seq: NOON + 1 })).toBe(true);
    expect(await createDynamoLeadRepository().create(key, later)).toEqual({ outcome: 'created' });
    expect((await readLeadItem(key)).seq).toBeGreaterThan(NOON + 1);
  });

  test('erases the latest state of a lead that is submitted during the erasure', async () => {
    const { aFile, erasing, erased } = setUpErasing();
    const key = await storeLead();
    const file = await aFile([key]);
    const { read } = erasing.leads;
    let first = true;
    erasing.leads.read = async (wanted) => {
      const found = await read(wanted);
      if (first) await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }));
      first = false;
      return found;
    };
    expect(await erased(key)).toMatchObject({ outcome: 'erased', filesErased: 1 });
    expect(await readUpload(file)).toBeUndefined();
  });

  test('keeps the lead if a submit during the erasure makes it no longer due', async () => {
    const { aFile, erasing, erased, isWhole } = setUpErasing();
    const key = await storeLead();
    const file = await aFile([key]);
    const isDue = ({ submittedAt }: { submittedAt: string }) => submittedAt <= new Date(NOON).toISOString();
    const { markErasing } = erasing.leads;
    erasing.leads.markErasing = async (...given) => {
      await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }, { atMs: NOON + 1 }));
      return markErasing(...given);
    };
    expect(await erased(key, { isDue })).toEqual({ outcome: 'not_due', filesErased: 0, filesShared: 0 });
    expect(isWhole(file)).toBe(true);
    expect(await createDynamoLeadRepository().merge(key, aLeadChangeOf({ more: 1 }))).toBe('merged');
  });

  test('does not change a newer lead with the same id, even if the erasure read the old lead first', async () => {
    const { erasing, erased, clock } = setUpErasing();
    const { leads } = erasing;
    const key = await storeLead(aLeadChangeOf({ name: 'Ada' }));
    const read = await leads.read(key);
    await erased(key);
    await createDynamoLeadOutbox(clock).clear(key, { state: 'erased', seq: NOON + 1 });
    const later = { atMs: NOON + 2 * DAY_MS };
    expect(await createDynamoLeadRepository().create(key, aLeadChangeOf({ name: 'Eve' }, later))).toEqual({
      outcome: 'created',
    });
    const before = await readLeadItem(key);
    expect(read).toMatchObject({ submits: before.submits, isErasing: false });
    if (read === undefined) throw new Error('The lead is missing.');
    expect([await leads.markErasing(key, read), await leads.replaceWithTombstone(key, read)]).toEqual([false, false]);
    expect(await readLeadItem(key)).toEqual(before);
  });

  test('is completed by a second erasure after a crash at any write', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let dieAt = 0, died = true; died; dieAt++) {
        const { aFile, erasing, objects, incoming } = setUpErasing();
        const other = await storeLeadWithFiles();
        const key = await storeLead();
        const own = [await aFile([key]), await aFile([key])];
        const shared = await aFile([key, other]);
        await createDynamoLeadRepository().merge(
          key,
          aLeadChangeOf({ a: own[0]?.uuid, b: own[1]?.uuid, c: shared.uuid }),
        );
        const { crashing, calls } = crashAtEffect(dieAt, when);
        const ports = {
          ...erasing,
          leads: crashing(erasing.leads, ['markErasing', 'replaceWithTombstone']),
          uploads: crashing(erasing.uploads, ['detachLead', 'markDeleting', 'delete']),
          files: crashing(erasing.files, ['delete', 'deleteIncoming']),
        };
        const lead = { orgId: ORG, ...key };
        await eraseLead(ports, lead).catch(() => undefined);
        died = calls() > dieAt;
        await eraseLead(erasing, lead);
        await expectTombstone(key);
        for (const file of own) expect([when, dieAt, await readUpload(file)]).toEqual([when, dieAt, undefined]);
        expect([...objects.keys()]).toEqual([shared.storagePath]);
        expect([...incoming.keys()]).toEqual([shared.storagePath]);
        expect((await readUpload(shared))?.leads).toEqual([nameOf(other)]);
      }
    }
  }, 60_000);
});

test('if an erasure crashes after its mark, the lead is listed only as being erased; a second erasure completes', async () => {
  const { aFile, erasing, clock, isWhole } = setUpErasing();
  const [key, other] = [await storeLead(), await storeLeadWithFiles()];
  const file = await aFile([key]);
  await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }));
  const down = { ...erasing, files: { ...erasing.files, delete: () => Promise.reject(new Error('killed')) } };
  await expect(eraseLead(down, { orgId: ORG, ...key })).rejects.toThrow('killed');
  const index = createDynamoLeadIndexReader(dynamoClient(), clock);
  const listed = (paginate: typeof paginateLeads) => paginate(index, { funnelId: key.funnelId, order: 'oldest first' });
  expect(await all(listed(paginateLeads))).toEqual([]);
  expect(await all(listed(paginateErasingLeads))).toMatchObject([{ leadId: key.leadId }]);
  const erase = createLeadEraser(erasing);
  const again = async (one: LeadKey) => erase({ orgId: ORG, ...one }, undefined);
  expect([await again(key), await again(other)]).toEqual(['erased', 'not_due']);
  expect([isWhole(file), await readUpload(file)]).toEqual([false, undefined]);
  await expectTombstone(key);
  expect(await all(listed(paginateErasingLeads))).toEqual([]);
});

test('the retention run replaces expired leads with tombstones, also leads of an earlier release', async () => {
  const { erasing, clock } = setUpErasing();
  const ending = (retainedUntilMs: number) => storeLead(aLeadChangeOf({ name: 'Ada' }, { retainedUntilMs }));
  const keys = [await ending(clock.now()), await ending(clock.now()), await ending(clock.now() + DAY_MS)];
  for (const key of keys.slice(1)) await toOldRetention(key);
  const run = createLeadEraser(erasing);
  const outcomes = keys.map((key) => run({ orgId: ORG, ...key }, undefined));
  expect(await Promise.all(outcomes)).toEqual(['erased', 'erased', 'not_due']);
  for (const key of keys.slice(0, 2)) await expectTombstone(key);
});

test('markErasing removes the TTL attribute of earlier releases, so that DynamoDB does not delete the lead', async () => {
  const { leads } = setUpErasing().erasing;
  const key = await storeLead(aLeadChangeOf({ name: 'Ada' }, { retainedUntilMs: NOON }));
  await toOldRetention(key);
  const read = await leads.read(key);
  expect(read && (await leads.markErasing(key, read))).toBe(true);
  expect(await readLeadItem(key)).not.toHaveProperty('expiresAt');
});
