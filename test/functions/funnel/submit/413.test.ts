import { expect, test } from 'vitest';
import { setUpSubmit } from '../../../support/leads/submit.ts';

const tooLarge = { status: 413, body: { error: { code: 'payload_too_large' } } };

test('413: rejects data of more than 65,536 bytes as sent, including white space', async () => {
  const { post, stored } = setUpSubmit();
  for (const data of [
    `{"x":"${'a'.repeat(65_529)}"}`,
    `{"x":1${' '.repeat(65_536)}}`,
    `{"x":"${'ä'.repeat(32_765)}"}`,
  ]) {
    expect(await post(`{"data":${data}}`)).toMatchObject(tooLarge);
  }
  expect(stored.all()).toEqual([]);
});

test('413: the size is checked before the handle, and the response contains no handle', async () => {
  const { post } = setUpSubmit();
  const response = await post({ lead_id: 'x', update_token: 'y', data: { x: 'a'.repeat(65_536) } });
  expect(response).toMatchObject(tooLarge);
  expect(response.body).not.toHaveProperty('data');
});

test('413: if an update would make the lead too large, the response contains the handle', async () => {
  const full = { create: async () => ({ outcome: 'created' as const }), merge: async () => 'too_large' as const };
  const { post, aHandle } = setUpSubmit({ ports: { leads: full } });
  const handle = await aHandle();
  const response = await post({ ...handle, data: { x: 1 } });
  expect(response).toMatchObject(tooLarge);
  expect(response.body).toMatchObject({
    error: { validation_errors: null },
    data: { id: handle.lead_id, update_token: handle.update_token },
  });
});
