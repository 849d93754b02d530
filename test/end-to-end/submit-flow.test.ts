import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { handleIn } from '../support/leads/submit.ts';
import { useLocalRuntime } from '../support/local/use-local-runtime.ts';

const runtime = useLocalRuntime();

async function submit(body: object, headers: Record<string, string> = {}, funnelId = runtime.demo.funnel.id) {
  const answer = await fetch(`${runtime.demo.baseUrl}/api/v2/public/funnel/${funnelId}/submit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: JSON.parse(text), text };
}

/** A value for each field of the demo funnel except file fields. */
const TYPED: Record<string, unknown> = {
  building: 'detached',
  interests: ['panels', 'battery'],
  roof_area: '85,5',
  owner: 'on',
  estimate: { kwp: 9.6 },
  residents: '4',
  start_date: '2026-05-01',
  address: { street: ' Am Markt ', houseNumber: 7, postalCode: '53111', city: 'Bonn', country: 'de' },
  urgency: '4',
  plan_url: 'https://shop.example/plan.pdf',
  notes: 'The roof faces south.',
  name: 'Ada Example',
  email: 'ada@shop.example',
  phone: '030 901820',
  consent: 'true',
};

test('200: all steps of the demo funnel update the same lead', async () => {
  const { fields } = runtime.demo.funnel;
  expect(fields.filter(({ id, type }) => type !== 'file' && !(id in TYPED))).toEqual([]);
  let handle: object = {};
  for (const step of new Set(fields.map(({ stepId }) => stepId))) {
    const ids = fields.filter(({ stepId }) => stepId === step).map(({ id }) => id);
    const data = Object.fromEntries(Object.entries(TYPED).filter(([id]) => ids.includes(id)));
    const answer = await submit({ ...handle, data, step_id: step, funnel_version_id: runtime.demo.funnel.versionId });
    expect([step, answer.status, answer.body.error]).toEqual([step, 200, undefined]);
    expect({ ...handleIn(answer), ...handle }).toEqual(handleIn(answer));
    handle = handleIn(answer);
  }
});

test('422: the response contains a lead handle, and a submit with this handle can correct the invalid field', async () => {
  const data = { name: 'Ada Example', email: 'ada@shop', consent: true };
  const refused = await submit({ data, step_id: 'contact' });
  expect(refused).toMatchObject({
    status: 422,
    body: { error: { code: 'validation_failed', validation_errors: [{ field: 'email', code: 'format' }] } },
  });
  const mended = await submit({
    ...handleIn(refused),
    data: { ...data, email: 'ada@shop.example' },
    step_id: 'contact',
  });
  expect(mended.status).toBe(200);
  expect(handleIn(mended)).toEqual(handleIn(refused));
});

test('200 or 400: a retry with the same Idempotency-Key gets the same response; the same key with another body is rejected', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const first = await submit({ data: { name: 'Ada Example' } }, headers);
  expect(first.status).toBe(200);
  expect((await submit({ data: { name: 'Ada Example' } }, headers)).text).toBe(first.text);
  expect((await submit({ data: { name: 'Eve Example' } }, headers)).status).toBe(400);
});

test('404: rejects an unknown lead and an unknown funnel; 403: rejects a wrong update token', async () => {
  const handle = handleIn(await submit({ data: {} }));
  expect((await submit({ ...handle, lead_id: randomUUID(), data: {} })).status).toBe(404);
  expect((await submit({ ...handle, update_token: 'guess', data: {} })).status).toBe(403);
  expect((await submit({ data: {} }, {}, randomUUID())).status).toBe(404);
});

test('200: a funnel that declares no fields accepts any data', async () => {
  const data = { anything: [{ at: 'all' }], '': undefined };
  expect((await submit({ data }, {}, runtime.demo.emptyFunnel.id)).status).toBe(200);
});

test('429: one function instance rejects the 31st submit of a lead in a window of a minute, with the time to wait', async () => {
  const handle = handleIn(await submit({ data: {} }));
  const answers = await Promise.all(Array.from({ length: 30 }, () => submit({ ...handle, data: { a: 1 } })));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBe(1);
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
});
