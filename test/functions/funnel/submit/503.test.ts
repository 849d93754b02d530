import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import { createInMemoryLeadRepository } from '../../../support/leads/lead-repository.ts';
import { setUpSubmit } from '../../../support/leads/submit.ts';

const failing = (cause: unknown) => {
  const { leads } = createInMemoryLeadRepository();
  return { ...leads, merge: async () => Promise.reject(cause) };
};

test.each([
  [503, new HttpError(503, 'Leads cannot be stored right now.', { headers: { 'Retry-After': '1' } })],
  [500, new Error('secret-table-name')],
])('%i: if an update cannot be stored, the response contains the handle', async (status, cause) => {
  const { post, aHandle } = setUpSubmit({ ports: { leads: failing(cause) } });
  const handle = await aHandle();
  const response = await post({ ...handle, data: { name: 'Ada' } });
  expect(response).toMatchObject({
    status,
    body: {
      error: { validation_errors: null },
      data: { id: handle.lead_id, update_token: handle.update_token },
    },
  });
  expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  expect(response.text).not.toContain('secret-table-name');
});

test('503: if a lead cannot be created, the response contains no handle', async () => {
  const down = new HttpError(503, 'Leads cannot be stored right now.');
  const { leads } = createInMemoryLeadRepository();
  const { post } = setUpSubmit({ ports: { leads: { ...leads, create: async () => Promise.reject(down) } } });
  const response = await post({ data: {} });
  expect(response.status).toBe(503);
  expect(response.body).not.toHaveProperty('data');
});

test('503: while the lead secret is unavailable, a create with an Idempotency-Key fails, and a create without it succeeds', async () => {
  const { post, stored } = setUpSubmit({ ports: { readSecret: async () => Promise.reject(new Error('down')) } });
  const response = await post({ data: {} }, { 'idempotency-key': randomUUID() });
  expect(response).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  expect(response.headers).toHaveProperty('retry-after');
  expect(stored.all()).toEqual([]);
  expect((await post({ data: {} })).status).toBe(200);
});
