import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../../../shared/http/schemas.ts';
import { LeadErrorBody } from '../../../../shared/leads/lead-response.ts';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

const naughty = fc.constantFrom(
  'null',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\u202e"',
  '1e400',
  '-1e400',
  '-0',
  '12345678901234567890',
  '0.1e-400',
  '{}',
  '[]',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"toString":1}',
  '"\\\\u0000"',
  '"NaN"',
  '"Infinity"',
  '"undefined"',
  '"__proto__"',
  '"ﷺ"',
  '"1;DROP TABLE leads"',
  '"{{7*7}}"',
  '"#0 = :0"',
  '"\\u2028"',
  `${'['.repeat(20)}${']'.repeat(20)}`,
  'true',
  '"\\n\\t\\b\\f\\r\\/\\\\\\""',
);
const json = fc.oneof(
  naughty,
  fc.jsonValue().map((value) => JSON.stringify(value)),
);
const key = fc.oneof(
  fc.constantFrom(
    'text',
    'email',
    'phone',
    'number',
    'address',
    'choices',
    'date',
    '__proto__',
    'constructor',
    '',
    'a b',
  ),
  fc.string({ unit: 'binary', maxLength: 130 }),
);
const member = fc.tuple(key, json).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
const object = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(',')}}`);
const space = fc.constantFrom('', ' ', '\n', '\t ');
const body = fc
  .tuple(
    fc.oneof(object, json),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'lead_id',
          'update_token',
          'step_id',
          'page_url',
          'webcomponent_args',
          'cookie_consent',
          'funnel_version_id',
          'd\\u0061ta',
        ),
        fc.oneof(object, json),
      ),
      { maxLength: 4 },
    ),
    space,
  )
  .map(
    ([data, others, gap]) =>
      `{${gap}"data"${gap}:${gap}${data}${others.map(([name, value]) => `,${gap}"${name}":${value}`).join('')}}${gap}`,
  );

const broken = fc
  .tuple(body, fc.nat(), fc.nat(8), fc.string({ unit: 'binary', maxLength: 3 }))
  .map(([text, at, length, put]) => {
    const start = at % text.length;
    return text.slice(0, start) + put + text.slice(start + length);
  });

const types = ['text', 'email', 'phone', 'number', 'address', 'choices', 'date'] as const;
const fields = types.map((type) => aField({ id: type, type }));

test('the response to any request body is a handle or a well-formed error, and only JSON without NUL is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, body, broken, fc.string({ unit: 'binary' })), async (rawBody) => {
      const { post, stored } = setUpSubmit({ fields });
      const response = await post(rawBody);
      expect([200, 400, 404, 422]).toContain(response.status);
      if (response.status === 200) expect(handleIn(response).lead_id).toMatch(/^[0-9a-f-]{36}$/);
      else expect((response.status === 422 ? LeadErrorBody : ApiError).safeParse(response.body).success).toBe(true);
      expect(stored.all()).toHaveLength(response.status === 200 || response.status === 422 ? 1 : 0);
      for (const value of stored.all()[0]?.data.values() ?? []) {
        JSON.parse(value, (name: string, part: unknown) => {
          expect(typeof part === 'string' ? name + part : name).not.toContain('\0');
          return part;
        });
      }
      expect(({} as { x?: unknown }).x).toBeUndefined();
    }),
    { numRuns: 1_500 },
  );
});

test('undeclared values are stored unchanged, except that NUL is removed; null and empty texts are not stored', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(key, json), { selector: ([name]) => name.replaceAll('\0', ''), maxLength: 6 }),
      async (pairs) => {
        const usable = pairs.filter(([name]) => name.replaceAll('\0', '') !== '' && [...name].length <= 128);
        const { post, dataOf } = setUpSubmit();
        const response = await post(
          `{"data":{${usable.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}}`,
        );
        expect(response.status).toBe(200);
        const withoutNul = (text: string) => text.replace(/\\(?:u0000|.)/g, (pair) => (pair === '\\u0000' ? '' : pair));
        const expected = usable
          .map(([name, value]) => [name.replaceAll('\0', ''), JSON.parse(withoutNul(value))] as const)
          .filter(([, value]) => value !== null && value !== '');
        expect(new Map(Object.entries(dataOf(handleIn(response).lead_id)))).toEqual(new Map(expected));
      },
    ),
    { numRuns: 500 },
  );
});
