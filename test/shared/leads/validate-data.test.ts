import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD_TYPES, type Field } from '../../../shared/funnels/funnel.ts';
import { ADDRESS_PARTS } from '../../../shared/leads/fields/structured.ts';
import { parseRawProperties } from '../../../shared/leads/raw-json.ts';
import { validateData } from '../../../shared/leads/validate-data.ts';
import { aField } from '../../support/leads/submit.ts';

type FieldSpec = Partial<Field> & Pick<Field, 'type'>;

/** Validates one value. `stored` is its JSON text, null for a cleared key, or undefined for a rejected value. */
async function outcomeOf(spec: FieldSpec, sent: string, country?: string) {
  const rules = { fields: [aField({ id: 'x', ...spec })], country };
  const { changes, errors } = await validateData(parseRawProperties(`{"x":${sent}}`), rules, undefined);
  return { stored: changes.get('x'), code: errors[0]?.code };
}

const validated = async (spec: FieldSpec, sent: string, country?: string) => {
  const { stored, code } = await outcomeOf(spec, sent, country);
  return code ?? stored;
};

describe.each(FIELD_TYPES)('for type %s,', (type) => {
  test('null and "" clear the key', async () => {
    expect(await validated({ type }, 'null')).toBeNull();
    expect(await validated({ type }, '""')).toBeNull();
  });

  test('any JSON value is stored as valid JSON, clears the key, or is rejected with a code', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { stored, code } = await outcomeOf({ type }, JSON.stringify(value));
        expect(stored === undefined).toBe(code !== undefined);
        if (typeof stored === 'string') expect(() => JSON.parse(stored)).not.toThrow();
      }),
    );
  });

  test('validating a stored value again does not change the value', async () => {
    const samples = ['"042"', '"true"', '" Ada "', '"a@b.example"', '"030 901820"', '"https://a.example"', '"3"'];
    const more = ['4', 'true', '["b","a","b"]', '"2024-02-29"', '{"city":" Bonn "}', '1e3'];
    for (const sample of [...samples, ...more]) {
      const { stored } = await outcomeOf({ type }, sample, 'DE');
      if (typeof stored === 'string')
        expect(await outcomeOf({ type }, stored, 'DE')).toEqual({ stored, code: undefined });
    }
  });
});

test.each<[FieldSpec, string, string | null]>([
  [{ type: 'text' }, '"  e\u0301t\u00e9 "', '"été"'],
  [{ type: 'text' }, '" \\t "', null],
  [{ type: 'text' }, '42', 'type'],
  [{ type: 'text' }, `"${'😀'.repeat(2000)}"`, `"${'😀'.repeat(2000)}"`],
  [{ type: 'text' }, `"${'a'.repeat(2001)}"`, 'length'],
  [{ type: 'text', min: 3, max: 4 }, '"ab"', 'length'],
  [{ type: 'text', min: 3, max: 4 }, '"abcd"', '"abcd"'],
  [{ type: 'text', max: 2 }, '"😀😀"', '"😀😀"'],
  [{ type: 'text' }, '"\\ud800 lone"', '"\\ud800 lone"'],
  [{ type: 'long_text' }, `"${'a'.repeat(20_001)}"`, 'length'],
  [{ type: 'email' }, '" Ada@Shop.example "', '"Ada@Shop.example"'],
  [{ type: 'email' }, '"info@müller.example"', '"info@müller.example"'],
  [{ type: 'email' }, '"ada@shop"', 'format'],
  [{ type: 'email' }, '"ada shop@shop.example"', 'format'],
  [{ type: 'email' }, '"shop.example"', 'format'],
  [{ type: 'email' }, `"${'a'.repeat(250)}@a.example"`, 'length'],
  [{ type: 'email' }, '["a@b.example"]', 'type'],
  [{ type: 'email' }, '"a@b.example/\\r\\nBcc: all@b.example"', 'format'],
  [{ type: 'email' }, '"a@b.\\nexample"', 'format'],
  [{ type: 'email' }, '"a@b.example?x, all@b.example"', 'format'],
  [{ type: 'email' }, '"a@b.example#>, <all"', 'format'],
  [{ type: 'email' }, '"a@b.example\\\\x"', 'format'],
  [{ type: 'email' }, '"a@%31.example"', 'format'],
  [{ type: 'email' }, '"a@b.example\\u200b"', 'format'],
  [{ type: 'email' }, `"${'a'.repeat(65)}@b.example"`, 'format'],
  [{ type: 'phone' }, '"+49 (30) 901820"', '"+4930901820"'],
  [{ type: 'phone' }, '"+49 (0)30 901820"', '"+4930901820"'],
  [{ type: 'phone', country: 'DE' }, '"0049 30/901820"', '"+4930901820"'],
  [{ type: 'phone' }, '"+49 1"', 'format'],
  [{ type: 'phone' }, '"030 901820"', 'format'],
  [{ type: 'phone', country: 'de' }, '"030 901820"', '"+4930901820"'],
  [{ type: 'phone', country: 'XX' }, '"030 901820"', 'format'],
  [{ type: 'phone' }, '"call me at +4930901820"', 'format'],
  [{ type: 'phone' }, '4930901820', 'type'],
  [{ type: 'phone', country: 'de' }, '"＋4930901820"', '"+4930901820"'],
  [{ type: 'phone', country: 'de' }, '"０30 901820"', '"+4930901820"'],
  [{ type: 'url' }, '" https://shop.example/a?b=c "', '"https://shop.example/a?b=c"'],
  [{ type: 'url' }, '"shop.example"', 'format'],
  [{ type: 'url' }, '"javascript:alert(1)"', 'format'],
  [{ type: 'url' }, '"https://"', 'format'],
  [{ type: 'url' }, '"http:///a.example"', 'format'],
  [{ type: 'url' }, '"https://a.example\\\\@b.example"', 'format'],
  [{ type: 'url' }, '"https://a.example/\\n"', '"https://a.example/"'],
  [{ type: 'url' }, '"https://a.example/x\\ny"', 'format'],
  [{ type: 'url' }, `"https://a.example/${'a'.repeat(2048)}"`, 'length'],
  [{ type: 'number' }, '1e300', '1e300'],
  [{ type: 'number' }, '1e400', 'range'],
  [{ type: 'number' }, '"1e400"', 'range'],
  [{ type: 'number' }, '"NaN"', 'type'],
  [{ type: 'number' }, '"Infinity"', 'type'],
  [{ type: 'number' }, '"0x10"', 'type'],
  [{ type: 'number' }, '"12 "', '12'],
  [{ type: 'number' }, '"+.5"', '0.5'],
  [{ type: 'number' }, '"85,5"', '85.5'],
  [{ type: 'number' }, '" -,5 "', '-0.5'],
  [{ type: 'number' }, '"0,125"', '0.125'],
  [{ type: 'number' }, '"1234,567"', '1234.567'],
  [{ type: 'number' }, '"1.234,56"', '1234.56'],
  [{ type: 'number' }, '"1,234.56"', '1234.56'],
  [{ type: 'number' }, '"1 234 567,8"', '1234567.8'],
  [{ type: 'number' }, '"1\u202f234"', '1234'],
  [{ type: 'number' }, '"1’234’567"', '1234567'],
  [{ type: 'number' }, '"1.234.567"', '1234567'],
  [{ type: 'number' }, '"1.234"', '1.234'],
  [{ type: 'number' }, '"1,234"', 'type'],
  [{ type: 'number' }, '"1.234.5"', 'type'],
  [{ type: 'number' }, '"1,2,3"', 'type'],
  [{ type: 'number' }, '"1 234.567 890"', 'type'],
  [{ type: 'number' }, '"12 34"', 'type'],
  [{ type: 'number' }, '"85 m²"', 'type'],
  [{ type: 'number' }, '"10²"', 'type'],
  [{ type: 'number' }, '"12345678901234567890"', '12345678901234567890'],
  [{ type: 'number' }, '12345678901234567890', '12345678901234567890'],
  [{ type: 'number' }, 'true', 'type'],
  [{ type: 'number', min: 0, max: 10 }, '10', '10'],
  [{ type: 'number', min: 0, max: 10 }, '-0.1', 'range'],
  [{ type: 'integer' }, '"42"', '42'],
  [{ type: 'integer' }, '4e2', '400'],
  [{ type: 'integer' }, '"2,0"', '2'],
  [{ type: 'integer' }, '"1 000"', '1000'],
  [{ type: 'integer' }, '"1.000.000"', '1000000'],
  [{ type: 'integer' }, '"1.000"', 'type'],
  [{ type: 'integer' }, '"1,000"', 'type'],
  [{ type: 'integer' }, '1.5', 'type'],
  [{ type: 'integer' }, '12345678901234567890', 'range'],
  [{ type: 'integer' }, '-1e400', 'range'],
  [{ type: 'rating' }, '"5"', '5'],
  [{ type: 'rating' }, '6', 'range'],
  [{ type: 'rating' }, '0', 'range'],
  [{ type: 'rating', max: 10 }, '10', '10'],
  [{ type: 'boolean' }, '"on"', 'true'],
  [{ type: 'boolean' }, '"False"', 'false'],
  [{ type: 'boolean' }, '2', 'type'],
  [{ type: 'consent' }, 'true', 'true'],
  [{ type: 'consent' }, '"maybe"', 'type'],
  [{ type: 'date' }, '"2024-02-29"', '"2024-02-29"'],
  [{ type: 'date' }, '"2023-02-29"', 'format'],
  [{ type: 'date' }, '"29.02.2024"', 'format'],
  [{ type: 'date' }, '20240229', 'type'],
  [{ type: 'choice', choices: ['a', '7'] }, '7', '"7"'],
  [{ type: 'choice', choices: ['a'] }, '"b"', 'choice'],
  [{ type: 'choice', choices: ['a'] }, '" a "', '"a"'],
  [{ type: 'choice', choices: ['A', ' a'] }, '"a"', '" a"'],
  [{ type: 'choice', choices: ['e\u0301te'] }, '"éte"', JSON.stringify('e\u0301te')],
  [{ type: 'choice' }, '" free "', '"free"'],
  [{ type: 'choice' }, '"  "', null],
  [{ type: 'choice' }, `"${'a'.repeat(1001)}"`, 'choice'],
  [{ type: 'choice', choices: ['a'] }, '["a"]', 'type'],
  [{ type: 'choices', choices: ['a', 'b'] }, '"a"', '["a"]'],
  [{ type: 'choices', choices: ['a', 'b'] }, '["b","a","b"]', '["b","a"]'],
  [{ type: 'choices', choices: ['a', 'b'] }, '["a","c"]', 'choice'],
  [{ type: 'choices', choices: ['a', 'b'] }, '["a"," a"]', '["a"]'],
  [{ type: 'choices' }, '[" ",""]', null],
  [{ type: 'choices', choices: ['a', 'b'], max: 1 }, '["a","b"]', 'length'],
  [{ type: 'choices', choices: ['a', 'b'] }, '[{}]', 'type'],
  [{ type: 'choices' }, '[]', null],
  [{ type: 'file' }, '"8F14E45F-CEEA-4672-9B8D-0A1B2C3D4E5F"', '"8f14e45f-ceea-4672-9b8d-0a1b2c3d4e5f"'],
  [{ type: 'file' }, '"photo.png"', 'format'],
  [
    { type: 'address' },
    '{"street":" Am Markt ","houseNumber":7,"floor":" 2nd "}',
    '{"street":"Am Markt","houseNumber":"7","floor":"2nd"}',
  ],
  [{ type: 'address' }, '{"street":"Am Markt","floor":[1e400]}', 'type'],
  [{ type: 'address' }, '{"street":"Am Markt","__proto__":{"a":1}}', 'type'],
  [{ type: 'address' }, '{"street":"Am Markt","constructor":null}', 'type'],
  [{ type: 'address' }, '{"street":" "}', null],
  [{ type: 'address' }, '{"postalCode":" 53111 ","country":"de"}', '{"postalCode":"53111","country":"DE"}'],
  [{ type: 'address' }, '{"country":"Germany"}', '{"country":"Germany"}'],
  [{ type: 'address' }, '{"postalCode":"01067"}', '{"postalCode":"01067"}'],
  [{ type: 'address' }, '{"city":["Bonn"]}', 'type'],
  [{ type: 'address' }, `{"city":"${'a'.repeat(201)}"}`, 'length'],
  [{ type: 'address' }, '"Am Markt 7"', 'type'],
  [{ type: 'json' }, '{"a":[1e400,12345678901234567890]}', '{"a":[1e400,12345678901234567890]}'],
])('for the field %j, the value %s results in the JSON or error code %s', async (spec, sent, outcome) => {
  expect(await validated(spec, sent)).toBe(outcome);
});

test('a phone number without + gets the country of its field, or else of the funnel version', async () => {
  expect(await validated({ type: 'phone' }, '"030 901820"', 'DE')).toBe('"+4930901820"');
  expect(await validated({ type: 'phone', country: 'GB' }, '"020 7946 0018"', 'DE')).toBe('"+442079460018"');
  expect(await validated({ type: 'phone', country: 'GB' }, '"+4930901820"', 'US')).toBe('"+4930901820"');
});

test('an address can have all documented parts, and their texts are stored trimmed', async () => {
  const sent = Object.fromEntries(ADDRESS_PARTS.map((part) => [part, ` ${part} `]));
  const stored = Object.fromEntries(ADDRESS_PARTS.map((part) => [part, part]));
  expect(JSON.parse(String(await validated({ type: 'address' }, JSON.stringify(sent))))).toEqual(stored);
  expect(ADDRESS_PARTS.length).toBeLessThanOrEqual(20);
});

test.each([
  ['postal_code', 'A part is misspelled. Write postalCode.'],
  ['HouseNumber', 'A part is misspelled. Write houseNumber.'],
  ['zip', `Must have no other parts than ${ADDRESS_PARTS.join(', ')}.`],
  ['<b>\u202e', `Must have no other parts than ${ADDRESS_PARTS.join(', ')}.`],
])(
  'an address with the unknown part %j is rejected with a message that does not quote this name',
  async (part, message) => {
    const sent = new Map([['x', JSON.stringify({ city: 'Bonn', [part]: 'a value', another: 1 })]]);
    const { errors, changes } = await validateData(sent, { fields: [aField({ id: 'x', type: 'address' })] }, undefined);
    expect(errors).toEqual([{ field: 'x', code: 'type', message }]);
    expect(changes.size).toBe(0);
  },
);

test('undeclared keys are stored as sent, including keys with a meaning in JavaScript', async () => {
  const sent = parseRawProperties('{"__proto__":{"a":1e400},"constructor":" x ","toString":1.0,"removed":null}');
  expect([...(await validateData(sent, { fields: [] }, undefined)).changes]).toEqual([
    ['__proto__', '{"a":1e400}'],
    ['constructor', '" x "'],
    ['toString', '1.0'],
    ['removed', null],
  ]);
});

test.each(['choice', 'choices'] as const)(
  'a value that is not a choice of its field of type %s is rejected; the message names the first 20 choices',
  async (type) => {
    const choices = Array.from({ length: 22 }, (_, index) => `c${index}`);
    const errorsOf = async (offered: string[]) =>
      (
        await validateData(
          parseRawProperties('{"it":"x"}'),
          { fields: [aField({ id: 'it', type, choices: offered })] },
          undefined,
        )
      ).errors;
    expect(await errorsOf(['a', 'b'])).toEqual([{ field: 'it', code: 'choice', message: 'Must be one of: a, b.' }]);
    const message = `Must be one of: ${choices.slice(0, 20).join(', ')} and 2 more.`;
    expect(await errorsOf(choices)).toEqual([{ field: 'it', code: 'choice', message }]);
  },
);

describe('a required field', () => {
  const fields = [
    aField({ id: 'name', type: 'text', required: true, stepId: 'contact' }),
    aField({ id: 'terms', type: 'consent', required: true, stepId: 'contact' }),
    aField({ id: 'later', type: 'text', required: true, stepId: 'end' }),
  ];
  const codes = async (sent: string, stepId?: string) =>
    Object.fromEntries(
      (await validateData(parseRawProperties(sent), { fields }, stepId)).errors.map(({ field, code }) => [field, code]),
    );

  test('must have a value only if its step is submitted', async () => {
    expect(await codes('{}', 'contact')).toEqual({ name: 'required', terms: 'required' });
    expect(await codes('{}', 'elsewhere')).toEqual({});
    expect(await codes('{}')).toEqual({});
  });

  test('is reported as missing if a submit clears it or sends a blank value, and its stored value is kept', async () => {
    for (const sent of ['{"name":null,"terms":true}', '{"name":" ","terms":true}']) {
      expect(await codes(sent, 'contact')).toEqual({ name: 'required' });
      const { changes } = await validateData(parseRawProperties(sent), { fields }, 'contact');
      expect(changes.has('name')).toBe(false);
    }
  });

  test('is reported as invalid, and not as missing, if its value is invalid', async () => {
    expect(await codes('{"name":7,"terms":true}', 'contact')).toEqual({ name: 'type' });
  });

  test('for a consent is reported as missing if the visitor refuses it, and the refusal is stored', async () => {
    const { changes, errors } = await validateData(
      parseRawProperties('{"name":"Ada","terms":false}'),
      { fields },
      'contact',
    );
    expect(errors).toMatchObject([{ field: 'terms', code: 'required' }]);
    expect(changes.get('terms')).toBe('false');
  });
});
