import { expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { createFileAttacher } from '../../../../shared/uploads/attach-file.ts';
import { createDynamoUploadRepository } from '../../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';
import { anUpload, memoryStore, readUpload, storeUpload } from '../../../support/uploads/stored-uploads.ts';
import { NOON } from '../../../support/uploads/upload-api.ts';

const { callsOf } = useDynamo();

async function setUp() {
  const files = createFileAttacher({
    uploads: createDynamoUploadRepository(),
    incoming: memoryStore().sent,
    clock: { now: () => NOON },
  });
  const fields = [aField({ id: 'photo', type: 'file' }), aField({ id: 'plan', type: 'file' })];
  const world = setUpSubmit({ fields, ports: { leads: createDynamoLeadRepository(), fileAttacher: files } });
  const { id: funnelId, orgId } = world.funnel;
  const aFile = () => storeUpload(anUpload({ orgId, funnelId }));
  return { ...world, aFile };
}

test('a submit makes one write, and one additional write for each file that needs no promotion', async () => {
  const { post, aFile } = await setUp();
  const [photo, plan] = [await aFile(), await aFile()];
  let handle = {};
  const create = async () => {
    handle = handleIn(await post({ data: { photo: photo.uuid, plan: plan.uuid } }));
  };
  expect(await callsOf(create)).toEqual(['UpdateItem', 'UpdateItem', 'PutItem']);
  expect(await callsOf(() => post({ ...handle, data: { photo: photo.uuid } }))).toEqual(['UpdateItem', 'UpdateItem']);
  expect(await callsOf(() => post({ ...handle, data: { name: 'Ada' } }))).toEqual(['UpdateItem']);
});

test('if a lead cannot be saved, its file stays attached, and a repeated submit succeeds', async () => {
  const { aFile, funnel } = await setUp();
  const photo = await aFile();
  const leads = createDynamoLeadRepository();
  let failing = true;
  const world = setUpSubmit({
    fields: [aField({ id: 'photo', type: 'file' })],
    funnel: { id: funnel.id, orgId: funnel.orgId },
    ports: {
      leads: {
        ...leads,
        create: async (...given) => {
          if (failing) throw new Error('killed');
          return leads.create(...given);
        },
      },
      fileAttacher: createFileAttacher({
        uploads: createDynamoUploadRepository(),
        incoming: memoryStore().sent,
        clock: { now: () => NOON },
      }),
    },
  });
  expect((await world.post({ data: { photo: photo.uuid } })).status).toBe(500);
  expect(await readUpload(photo)).toMatchObject({ state: 'attached', leads: [expect.any(String)] });
  failing = false;
  expect((await world.post({ data: { photo: photo.uuid } })).status).toBe(200);
});
