import { expect, test } from 'vitest';
import { handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

test('403: a wrong update token changes nothing', async () => {
  const { post, aHandle, dataOf } = setUpSubmit();
  const handle = await aHandle({ name: 'Ada' });
  for (const wrong of [
    't',
    handle.update_token.toLowerCase(),
    `${handle.update_token} `,
    '\ud800',
    'x'.repeat(100_000),
  ]) {
    const response = await post({ ...handle, update_token: wrong, data: { name: 'Eve' } });
    expect(response).toMatchObject({ status: 403, body: { error: { code: 'invalid_update_token' } } });
    expect(response.body).not.toHaveProperty('data');
  }
  expect(dataOf(handle.lead_id)).toEqual({ name: 'Ada' });
});

test('403: the token of another lead changes nothing', async () => {
  const { post, aHandle, dataOf } = setUpSubmit();
  const [ada, eve] = [await aHandle({ name: 'Ada' }), await aHandle({ name: 'Eve' })];
  const response = await post({ lead_id: ada.lead_id, update_token: eve.update_token, data: { name: 'Eve' } });
  expect(response.status).toBe(403);
  expect(dataOf(ada.lead_id)).toEqual({ name: 'Ada' });
});

test('403: an expired token changes nothing', async () => {
  const { post, aHandle, dataOf, clock } = setUpSubmit();
  const handle = await aHandle({ name: 'Ada' });
  clock.ms += 30 * 86_400_000;
  const response = await post({ ...handle, data: { name: 'Grace' } });
  expect(response).toMatchObject({ status: 403, body: { error: { code: 'invalid_update_token' } } });
  expect(dataOf(handle.lead_id)).toEqual({ name: 'Ada' });
});

test('403: a forbidden origin gets the same error code with a valid handle, a wrong handle and no handle', async () => {
  const { post, stored } = setUpSubmit({ funnel: { allowedOrigins: ['https://shop.example'] } });
  const handle = handleIn(await post({ data: {} }, { origin: 'https://shop.example' }));
  for (const body of [{ data: {} }, { ...handle, data: {} }, { ...handle, update_token: 'wrong', data: {} }]) {
    const response = await post(body, { origin: 'https://evil.example' });
    expect(response).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  }
  expect(stored.all()).toMatchObject([{ submits: 1 }]);
});
