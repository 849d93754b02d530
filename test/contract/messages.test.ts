import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { operations } from '../../functions/declarations.ts';
import { GATEWAY_RESPONSES } from '../../infra/stacks/api/gateway-responses.ts';
import { rangeQuery, resolveRange } from '../../shared/analytics/queries/range.ts';
import { FIELD_TYPES } from '../../shared/funnels/funnel.ts';
import { HttpError } from '../../shared/http/errors.ts';
import { parseOrBadRequest } from '../../shared/http/middleware/request-validation.ts';
import { useDynamo } from '../support/dynamo.ts';
import type { Answer } from '../support/http.ts';
import { aField, setUpSubmit } from '../support/leads/submit.ts';
import { aPng } from '../support/uploads/sample-files.ts';
import { aForm, BOUNDARY, FORM_HEADERS, setUpUpload } from '../support/uploads/upload-api.ts';
import { setUpVerification, wrongCode } from '../support/verification/verification.ts';

useDynamo();

const ROOT = join(import.meta.dirname, '../..');
const STARTS =
  /^(?:[A-Z]|(?:body|path|query|header|range|events)(?:[.[][\w.[\]-]*)? (?:and body\.\w+ )?(?:must|is|has|was|can) )/;
const DIALECT =
  /\b(?:whoever|nobody|somebody|anew|told|turns?|desk|stands? for|looks? after|at once|right now|can not|takes|taken|answers?|answered|came|ask|asked|meanwhile|made just now|fault is)\b/i;
/** Matches parts of zod's own messages, a path before a colon, and two periods at the end. */
const FRAGMENT =
  /expected|received|Invalid |Too (?:big|small)|[<>]=|^(?:body|path|query|header|events)[\w.[\]-]*:|\.\.$/;

/** Returns the messages that are not plain sentences. */
const unclear = (messages: Iterable<string>): string[] =>
  [...new Set(messages)].filter(
    (message) => !STARTS.test(message) || !message.endsWith('.') || DIALECT.test(message) || FRAGMENT.test(message),
  );

type ErrorBody = { error?: { message: string; validation_errors?: { message: string }[] | null } };

const messagesOf = (responses: readonly Answer[]): string[] =>
  responses.flatMap(({ status, body }) => {
    const { error } = body as ErrorBody;
    expect([status, error?.message]).toEqual([expect.any(Number), expect.any(String)]);
    return [error?.message ?? '', ...(error?.validation_errors ?? []).map(({ message }) => message)];
  });

function thrownBy(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof HttpError) return [error.message];
    throw error;
  }
}

const HOSTILE: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e308,
  Number.POSITIVE_INFINITY,
  '',
  'x',
  '\0',
  '\ud800',
  'x'.repeat(70_000),
  [],
  [{}],
  [1],
  Array.from({ length: 600 }, () => ({ id: 'x', label: '' })),
  {},
  { surprise: 1 },
];

/** Yields the messages of each operation for hostile values in its path, query, headers and body. */
function* malformedRequests(): Generator<string> {
  for (const { request } of operations) {
    for (const [root, schema] of Object.entries({
      ...request,
      headers: undefined,
      form: undefined,
      header: request.headers,
    })) {
      if (!(schema instanceof z.ZodMiniType)) continue;
      const members = 'shape' in schema ? Object.keys(Object(schema.shape)) : [];
      for (const value of HOSTILE) {
        yield* thrownBy(() => parseOrBadRequest(schema, value, root));
        for (const name of members) yield* thrownBy(() => parseOrBadRequest(schema, { [name]: value }, root));
      }
    }
  }
}

test('400: every message about a malformed request is a sentence', () => {
  const messages = [...malformedRequests()];
  expect(new Set(messages).size).toBeGreaterThan(100);
  expect(unclear(messages)).toEqual([]);
});

test('400: every message about an invalid time range is a sentence', () => {
  const Query = z.object(rangeQuery);
  const ranges: z.input<typeof Query>[] = [
    { range: 'custom' },
    { range: '7d', since: '2026-05-01' },
    { range: 'custom', since: 'x', until: 'x' },
    { range: 'custom', since: '2026-05-02', until: '2026-05-01' },
    { range: 'custom', since: '2020-05-02', until: '2026-05-01' },
  ];
  const messages = ranges.flatMap((range) => thrownBy(() => resolveRange(Query.parse(range), 'UTC', Date.now())));
  const tooFine = { ...Query.parse({ range: '90d' }), granularity: 'hour' } as const;
  messages.push(...thrownBy(() => resolveRange(tooFine, 'UTC', Date.now())));
  expect(messages).toHaveLength(ranges.length + 1);
  expect(unclear(messages)).toEqual([]);
});

test('4xx: every message of submit and of its fields is a sentence', async () => {
  const fields = FIELD_TYPES.map((type) =>
    aField({ id: type, type, ...(type === 'choice' && { choices: ['a', 'b'] }) }),
  );
  const required = aField({ id: 'name', type: 'text', required: true, stepId: 'contact' });
  const { post, call, aHandle } = setUpSubmit({ fields: [...fields, required] });
  const values = [{ surprise: 1 }, { city: 1 }, 'x', [{}], 1e308, -1.5, 'x'.repeat(21_000), { postal_code: 'x' }];
  const invalid = values.map((value) => ({ data: Object.fromEntries(FIELD_TYPES.map((type) => [type, value])) }));
  const id = randomUUID();
  const responses = [
    ...(await Promise.all(invalid.map((body) => post(body)))),
    await post({ data: {}, step_id: 'contact' }),
    await post({ data: {}, lead_id: id }),
    await post({ data: {}, lead_id: id, update_token: 'x' }),
    await post({ ...(await aHandle()), update_token: 'x', data: {} }),
    await post({ data: { '': 1 } }),
    await post({ data: Object.fromEntries(Array.from({ length: 201 }, (_, key) => [key, 1])) }),
    await post({ data: { x: 'x'.repeat(70_000) } }),
    await post('x'.repeat(1_100_000)),
    await post('{'),
    await post(`{"data":${'['.repeat(40)}${']'.repeat(40)}}`),
    await post({}, { 'content-type': 'text/csv' }),
    await call({ path: { id }, body: { data: {} } }),
  ];
  expect(unclear(messagesOf(responses))).toEqual([]);
});

test('4xx: every message of verification is a sentence', async () => {
  const { send, check, checkBody, aLead, lastCode } = setUpVerification();
  const lead = await aLead();
  const responses = [
    await send({}),
    await send({ ...lead, channel: 'x' }),
    await send({ ...lead, update_token: 'x' }),
    await send({ ...lead, lead_id: randomUUID() }),
    await send(await aLead({})),
    await checkBody({ ...lead, code: '' }),
    await check(lead, '1'),
  ];
  await send(lead);
  for (let time = 0; time < 12; time++) responses.push(await check(lead, wrongCode(lastCode())));
  responses.push(await send(lead));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400, 403, 404, 429]));
  expect(unclear(messagesOf(responses))).toEqual([]);
});

test('4xx: every message of upload is a sentence; if a file is too large for a form, the message says how to send it', async () => {
  const { send, sendBytes, sendFile, announce, place } = setUpUpload();
  const file = { name: 'a.png', content: aPng() };
  const form = aForm({ fields: place, file }).toString('latin1');
  const variants = [
    form.replaceAll(BOUNDARY, 'other'),
    form.replace(/--\r\n$/, ''),
    form.replace(`${BOUNDARY}\r\n`, `${BOUNDARY}x`),
    form.replace('form-data', 'attachment'),
    form.replace('name="file"', 'name*=file; name="file"'),
    form.replace('name="file"', 'name="other"'),
    form.replace(/Content-Disposition/g, 'no header'),
    form.replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
    form.replace('\r\n\r\n', '\r\nX: 1\r\nX: 1\r\n\r\n'),
    form.replace('\r\n\r\n', `${'\r\nX: 1'.repeat(20)}\r\n\r\n`),
    form.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`),
    form.replace('name="blockId"', 'name="x]"'),
    form.replace('name="blockId"', `name="${'x'.repeat(120)}"`),
  ];
  const tooLarge = await sendFile(Buffer.alloc(5_000_000));
  const responses = [
    ...(await Promise.all(variants.map((variant) => sendBytes(Buffer.from(variant, 'latin1'))))),
    await sendBytes(Buffer.from(form), ''),
    await sendFile(aPng(), 'a.pdf'),
    await sendFile(aPng(), 'a.png', {}),
    await sendFile(aPng(), 'a.png', { ...place, blockId: 'x'.repeat(300) }),
    await sendFile(aPng(), 'a.png', { ...place, blockId: randomUUID() }),
    await send({ bytes: Buffer.from(form), headers: { ...FORM_HEADERS, 'content-type': 'text/plain' } }),
    await send({ bytes: Buffer.from(form), headers: {} }),
    await announce({ size: 1e12 }),
    await announce({ mimeType: 'x/y' }),
    tooLarge,
  ];
  expect(responses.map(({ status }) => status).filter((status) => status < 400 || status > 499)).toEqual([]);
  expect(unclear(messagesOf(responses))).toEqual([]);
  expect(messagesOf([tooLarge])[0]).toContain(
    'JSON: POST /api/v2/public/funnel/upload with Content-Type application/json.',
  );
});

test('every message of API Gateway’s own responses is a sentence', () => {
  expect(unclear(Object.values(GATEWAY_RESPONSES).map(({ message }) => message))).toEqual([]);
});

/** Yields the messages that the source code passes to errors. Placeholders are replaced by `x`. */
function* writtenMessages(): Generator<string> {
  for (const path of globSync('{functions,shared}/**/*.ts', { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, path), 'utf8');
    // Skips messages with ${what} or ${why}, because callers pass these parts. The tests above cover such messages.
    for (const [, quote, text = ''] of source.matchAll(
      /(?:new HttpError\(\s*\d{3},\s*|new UnavailableError\(\s*|rethrowAsUnavailable\(\s*|unauthorized\(\s*|(?:refuse|reject)\('(?:type|format|length|range|choice)', |(?:NOT_(?:NOW|READABLE|WRITABLE|STORED|AVAILABLE)|UNAVAILABLE|UNREADABLE|UNWRITABLE) = )(['"`])(.*?)\1/gs,
    ))
      if (!/\$\{wh(?:at|y)\}/.test(text))
        yield quote === '`' ? text.replace(/^\$\{\w+\.?\w*\}/, 'body.x').replace(/\$\{[^}]*\}/g, 'x') : text;
  }
}

test('every literal message of an HttpError or UnavailableError in functions and shared is a sentence', () => {
  const messages = [...writtenMessages()];
  expect(messages.length).toBeGreaterThan(90);
  expect(unclear(messages)).toEqual([]);
});
