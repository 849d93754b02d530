import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import type { FileReference } from '../../../../shared/uploads/upload.ts';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

const photo = randomUUID();
const blockId = randomUUID();

/** A funnel with two file fields, of which one has a block. Files in `refused` cannot be attached. */
function setUp(refused: readonly string[] = []) {
  const kept: FileReference[] = [];
  const fields = [
    aField({ id: 'photo', type: 'file', required: true, stepId: 'a', blockId }),
    aField({ id: 'plan', type: 'file' }),
    aField({ id: 'name', type: 'text' }),
  ];
  const keep = async (file: FileReference) => {
    if (refused.includes(file.uuid))
      return 'There is no uploaded file with this uuid for this field. Upload the file again.';
    kept.push(file);
    return undefined;
  };
  return { ...setUpSubmit({ fields, ports: { fileAttacher: { attach: keep } } }), kept };
}

const faults = (errors: object[]) => ({
  error: { code: 'validation_failed', message: expect.any(String), validation_errors: errors },
  data: { id: expect.any(String), update_token: expect.any(String) },
});

test('200: attaches each file to the lead, with the block of its field if the field has a block', async () => {
  const { post, kept, funnel, dataOf } = setUp();
  const plan = randomUUID();
  const response = await post({ data: { photo: photo.toUpperCase(), plan, name: 'Ada' } });
  expect(response.status).toBe(200);
  const { lead_id: leadId } = handleIn(response);
  const lead = { orgId: funnel.orgId, funnelId: funnel.id, leadId };
  expect(kept).toEqual([
    { ...lead, uuid: photo, blockId },
    { ...lead, uuid: plan, blockId: undefined },
  ]);
  expect(dataOf(leadId)).toMatchObject({ photo, plan });
});

test('422: if a file cannot be attached, names its field, saves the other fields and returns the handle', async () => {
  const { post, kept, dataOf } = setUp([photo]);
  const plan = randomUUID();
  const response = await post({ data: { photo, plan, name: 'Ada' }, step_id: 'a' });
  expect(response).toMatchObject({
    status: 422,
    body: faults([{ field: 'photo', code: 'file', message: expect.stringContaining('no uploaded file') }]),
  });
  expect(dataOf(handleIn(response).lead_id)).toEqual({ plan, name: 'Ada' });
  expect(kept.map(({ uuid }) => uuid)).toEqual([plan]);
});

test('422: if the file of an update cannot be attached, the lead keeps its previous file', async () => {
  const { post, aHandle, dataOf } = setUp([photo]);
  const had = randomUUID();
  const handle = await aHandle({ photo: had });
  const response = await post({ ...handle, data: { photo, name: 'Ada' } });
  expect(response).toMatchObject({
    status: 422,
    body: faults([{ field: 'photo', code: 'file', message: expect.any(String) }]),
  });
  expect(dataOf(handle.lead_id)).toMatchObject({ photo: had, name: 'Ada' });
});

test('422: if the value of a file field is not a uuid, the error code is `format`, and no file is attached for it', async () => {
  const { post, kept } = setUp();
  for (const wrong of ['roof.png', '../../x', `${photo}x`]) {
    expect(await post({ data: { plan: wrong } })).toMatchObject({
      status: 422,
      body: faults([{ field: 'plan', code: 'format', message: expect.any(String) }]),
    });
  }
  expect(kept).toEqual([]);
});

test('attaches no file for a cleared field or an undeclared key (200), or for a malformed lead id (404)', async () => {
  const { post, kept } = setUp();
  expect((await post({ data: { plan: '', other: photo } })).status).toBe(200);
  expect((await post({ data: { plan: photo }, lead_id: 'none', update_token: 'x' })).status).toBe(404);
  expect(kept).toEqual([]);
});

test('404 or 403: if both the handle and a file are wrong, only the handle is reported', async () => {
  const { post, aHandle } = setUp([photo]);
  const unknown = { lead_id: randomUUID(), update_token: 'x' };
  expect((await post({ ...unknown, data: { plan: photo } })).status).toBe(404);
  const { lead_id } = await aHandle();
  expect((await post({ lead_id, update_token: 'x', data: { plan: photo } })).status).toBe(403);
});

test('503: while files cannot be looked up, an update saves nothing and returns the handle', async () => {
  const keep = async () => {
    throw new HttpError(503, 'Uploaded files cannot be looked up right now.', { headers: { 'Retry-After': '1' } });
  };
  const { post, aHandle, dataOf } = setUpSubmit({
    fields: [aField({ id: 'plan', type: 'file' })],
    ports: { fileAttacher: { attach: keep } },
  });
  const handle = await aHandle({ name: 'Ada' });
  const response = await post({ ...handle, data: { plan: photo, name: 'Grace' } });
  expect(response).toMatchObject({ status: 503, body: { data: { id: handle.lead_id } } });
  expect(dataOf(handle.lead_id)).toEqual({ name: 'Ada' });
});
