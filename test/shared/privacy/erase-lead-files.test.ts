import { describe, expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { DAY_MS, NOON } from '../../support/leads/lead-repository.ts';
import { aLeadChangeOf, storeLead } from '../../support/leads/stored-leads.ts';
import { nameOf, setUpErasing, storeLeadWithFiles } from '../../support/privacy/erasing-leads.ts';
import { readUpload } from '../../support/uploads/stored-uploads.ts';

useDynamo();

describe('a file of an erased lead', () => {
  test('is kept while another lead also refers to the file, and is removed afterwards', async () => {
    const { aFile, erased, isWhole, swept, clock } = setUpErasing();
    const other = await storeLeadWithFiles();
    const key = await storeLead();
    const file = await aFile([key, other]);
    await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }));
    await createDynamoLeadRepository().merge(other, aLeadChangeOf({ file: file.uuid }));
    expect(await erased(key)).toMatchObject({ filesErased: 0, filesShared: 1 });
    clock.ms += 16 * 60_000;
    await swept();
    expect([isWhole(file), (await readUpload(file))?.leads]).toEqual([true, [nameOf(other)]]);
    await createDynamoLeadRepository().merge(other, aLeadChangeOf({ file: null }));
    clock.ms += 8 * DAY_MS;
    await swept();
    expect([isWhole(file), await readUpload(file)]).toEqual([false, undefined]);
  });

  test('is kept while a concurrent submit is attaching it, and is removed by the sweeper if the submit fails', async () => {
    const { aFile, erased, isWhole, swept, clock } = setUpErasing();
    const other = await storeLeadWithFiles();
    const key = await storeLead();
    const file = await aFile([key]);
    await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }));
    const { orgId, uuid } = file;
    expect(
      await createDynamoUploadRepository().addLeadReference(
        { orgId, uuid, ...other, funnelId: key.funnelId, blockId: undefined },
        'stored',
        clock.now(),
      ),
    ).toBe(true);
    expect(await erased(key)).toMatchObject({ filesShared: 1 });
    expect(isWhole(file)).toBe(true);
    clock.ms += 16 * 60_000;
    await swept();
    expect([isWhole(file), await readUpload(file)]).toEqual([false, undefined]);
  });

  test('that is attached to another lead between the check and the removal is kept', async () => {
    const { aFile, erasing, erased, isWhole, clock } = setUpErasing();
    const other = await storeLeadWithFiles();
    const key = await storeLead();
    const file = await aFile([key]);
    await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }));
    const { markDeleting: beginRemoval } = erasing.uploads;
    erasing.uploads.markDeleting = async (...given) => {
      const { orgId, uuid } = file;
      await createDynamoUploadRepository().addLeadReference(
        { orgId, uuid, ...other, funnelId: key.funnelId, blockId: undefined },
        'stored',
        clock.now(),
      );
      return beginRemoval(...given);
    };
    expect(await erased(key)).toMatchObject({ filesErased: 0, filesShared: 1 });
    expect(isWhole(file)).toBe(true);
  });

  test('is removed in the end, even if the sweeper inspects the file during the erasure', async () => {
    const { aFile, erased, ports, objects, isWhole, swept, clock } = setUpErasing();
    const key = await storeLead();
    const file = await aFile([key], { isInspected: false, dueAtMs: NOON });
    await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }));
    const { get } = ports.files;
    ports.files.get = async (path) => {
      const found = await get(path);
      await erased(key);
      expect(isWhole(file)).toBe(false);
      objects.set(path, Buffer.from('put back'));
      return found;
    };
    await swept();
    expect((await readUpload(file))?.name).toBe('');
    clock.ms += 16 * 60_000;
    await swept();
    expect([isWhole(file), await readUpload(file)]).toEqual([false, undefined]);
  });

  test('is kept if it belongs to another lead or another funnel, even if the data of the erased lead refers to it', async () => {
    const { aFile, erased, isWhole } = setUpErasing();
    const other = await storeLeadWithFiles();
    const others = await aFile([other]);
    const ofAnotherFunnel = await aFile([], { funnelId: other.funnelId, state: 'stored' });
    const key = await storeLeadWithFiles(others.uuid, ofAnotherFunnel.uuid);
    expect(await erased(key)).toEqual({ outcome: 'erased', filesErased: 0, filesShared: 0 });
    expect([isWhole(others), isWhole(ofAnotherFunnel)]).toEqual([true, true]);
  });

  test('that was uploaded just now is removed; its record is kept until the presigned form expires', async () => {
    const { aFile, erased, incoming, isWhole, swept, clock } = setUpErasing();
    const key = await storeLead();
    const file = await aFile([key], { createdAtMs: clock.now() });
    await createDynamoLeadRepository().merge(key, aLeadChangeOf({ file: file.uuid }));
    expect(await erased(key)).toMatchObject({ filesErased: 1 });
    expect(isWhole(file)).toBe(false);
    expect(await readUpload(file)).toMatchObject({ state: 'deleting', name: '' });
    incoming.set(file.storagePath, Buffer.from('sent again'));
    clock.ms += 62 * 60_000;
    await swept();
    expect([incoming.size, await readUpload(file)]).toEqual([0, undefined]);
  });
});

test('an erased file is counted once, even if the lead changes during the erasure and the erasure is repeated', async () => {
  const { aFile, erasing, erased, clock } = setUpErasing();
  const other = await storeLeadWithFiles();
  const key = await storeLead();
  const own = await aFile([key], { createdAtMs: clock.now() });
  const shared = await aFile([key, other]);
  await createDynamoLeadRepository().merge(key, aLeadChangeOf({ a: own.uuid, b: shared.uuid }));
  const { replaceWithTombstone } = erasing.leads;
  let calls = 0;
  erasing.leads.replaceWithTombstone = async (...given) => (++calls === 1 ? false : replaceWithTombstone(...given));
  expect(await erased(key)).toEqual({ outcome: 'erased', filesErased: 1, filesShared: 1 });
  expect(calls).toBe(2);
});
