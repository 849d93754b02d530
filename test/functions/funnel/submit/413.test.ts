import { expect, test } from 'vitest';
import { setUpSubmit } from '../../../support/leads/submit.ts';

const tooLarge = { status: 413, body: { error: { code: 'payload_too_large' } } };

test('413: data over 65 536 bytes as sent, white space and escapes included', async () => {
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

test('413: is said of the data before of the handle, without giving the handle back', async () => {
  const { post } = setUpSubmit();
  const answer = await post({ lead_id: 'x', update_token: 'y', data: { x: 'a'.repeat(65_536) } });
  expect(answer).toMatchObject(tooLarge);
  expect(answer.body).not.toHaveProperty('data');
});

test('413: a lead that would become too large leaves the caller its handle', async () => {
  const full = { create: async () => ({ outcome: 'created' as const }), merge: async () => 'too_large' as const };
  const { post, aHandle } = setUpSubmit({ ports: { leads: full } });
  const handle = await aHandle();
  const answer = await post({ ...handle, data: { x: 1 } });
  expect(answer).toMatchObject(tooLarge);
  expect(answer.body).toMatchObject({
    error: { validation_errors: null },
    data: { id: handle.lead_id, update_token: handle.update_token },
  });
});
