import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { LeadErrorBody } from '../../../../shared/leads/lead-response.ts';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

const fields = [
  aField({ id: 'name', type: 'text', required: true, stepId: 'contact' }),
  aField({ id: 'email', type: 'email', required: true, stepId: 'contact' }),
  aField({ id: 'age', type: 'integer', min: 0, max: 150 }),
  aField({ id: '__proto__', type: 'integer' }),
];

test('422: saves the valid and undeclared fields, names the invalid fields and returns the handle', async () => {
  const { post, dataOf } = setUpSubmit({ fields });
  const response = await post({ data: { name: ' Ada ', email: 'ada@', age: 200, note: 'x' } });
  expect(response).toMatchObject({
    status: 422,
    body: {
      error: {
        code: 'validation_failed',
        validation_errors: [
          { field: 'email', code: 'format' },
          { field: 'age', code: 'range' },
        ],
      },
    },
  });
  expect(LeadErrorBody.safeParse(response.body).success).toBe(true);
  expect(dataOf(handleIn(response).lead_id)).toEqual({ name: 'Ada', note: 'x' });
});

test('422: rejects an address with an unknown part, saves the other fields and returns the handle', async () => {
  const { post, dataOf } = setUpSubmit({ fields: [...fields, aField({ id: 'home', type: 'address' })] });
  const response = await post({ data: { name: 'Ada', home: { street: 'Am Markt 7', postal_code: '53111' } } });
  expect(response).toMatchObject({
    status: 422,
    body: {
      error: {
        validation_errors: [{ field: 'home', code: 'type', message: 'A part is misspelled. Write postalCode.' }],
      },
    },
  });
  expect(dataOf(handleIn(response).lead_id)).toEqual({ name: 'Ada' });
});

test('422: a first submit without valid fields creates a lead with a usable handle', async () => {
  const { post, dataOf, stored } = setUpSubmit({ fields });
  const response = await post({ data: { email: 'ada@' }, step_id: 'contact' });
  expect(response.status).toBe(422);
  expect(response.body).toMatchObject({
    error: {
      validation_errors: [
        { field: 'email', code: 'format' },
        { field: 'name', code: 'required' },
      ],
    },
  });
  expect(stored.all()).toHaveLength(1);
  const handle = handleIn(response);
  const data = { email: 'ada@shop.example', name: 'Ada' };
  expect((await post({ ...handle, data, step_id: 'contact' })).status).toBe(200);
  expect(dataOf(handle.lead_id)).toEqual(data);
});

test('422: a submit of a step must contain the step’s required fields, even if the lead already has values for them', async () => {
  const { post, aHandle, dataOf } = setUpSubmit({ fields });
  const handle = await aHandle({ name: 'Ada', email: 'ada@shop.example' });
  const response = await post({ ...handle, data: { name: null }, step_id: 'contact' });
  expect(response.status).toBe(422);
  expect(response.body).toMatchObject({
    error: {
      validation_errors: [
        { field: 'name', code: 'required' },
        { field: 'email', code: 'required' },
      ],
    },
  });
  expect(dataOf(handle.lead_id)).toEqual({ name: 'Ada', email: 'ada@shop.example' });
});

test('403 or 404: if both the handle and a field are wrong, only the handle is reported', async () => {
  const { post, aHandle } = setUpSubmit({ fields });
  const handle = await aHandle();
  expect((await post({ ...handle, update_token: 'x', data: { age: 'x' } })).status).toBe(403);
  expect((await post({ ...handle, lead_id: randomUUID(), data: { age: 'x' } })).status).toBe(404);
});

test('422: a submit that is repeated with its Idempotency-Key gets the same response and is saved once', async () => {
  const { post, stored } = setUpSubmit({ fields });
  const key = { 'idempotency-key': randomUUID() };
  const responses = [await post({ data: { age: 'x' } }, key), await post({ data: { age: 'x' } }, key)];
  expect(responses.map(({ status }) => status)).toEqual([422, 422]);
  expect(responses[1]?.text).toBe(responses[0]?.text);
  expect(stored.all()).toMatchObject([{ submits: 1 }]);
});

test('422: messages do not contain the submitted values', async () => {
  const { post } = setUpSubmit({ fields });
  const response = await post({ data: { age: 'very private', email: 'very private' } });
  expect(response.status).toBe(422);
  expect(response.text).not.toContain('very private');
});

test('422: names an invalid field even if its id is __proto__', async () => {
  const { post } = setUpSubmit({ fields });
  expect(await post('{"data":{"__proto__":{"a":1}}}')).toMatchObject({
    status: 422,
    body: { error: { validation_errors: [{ field: '__proto__', code: 'type' }] } },
  });
});
