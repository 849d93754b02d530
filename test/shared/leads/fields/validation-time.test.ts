import { expect, test } from 'vitest';
import { FIELD_TYPES } from '../../../../shared/funnels/funnel.ts';
import { DATA_BYTES_MAX } from '../../../../shared/leads/submit-body.ts';
import { validateData } from '../../../../shared/leads/validate-data.ts';
import { aField } from '../../../support/leads/submit.ts';

const LENGTH = DATA_BYTES_MAX - 200;

/** Values of the maximum size. Each value is a worst case of some parser. */
const LARGEST: Record<string, string> = {
  'digits and a letter': `${'1'.repeat(LENGTH)}x`,
  'digits, a comma and a letter': `${'1'.repeat(LENGTH)},1x`,
  'digits, a point and a letter': `${'1'.repeat(LENGTH / 2)}.${'1'.repeat(LENGTH / 2)}x`,
  'groups of three': `1${'.111'.repeat(LENGTH / 4)},x`,
  'blanks and a letter': `1${' '.repeat(LENGTH)}x`,
  'marks in wrong order': `a${'\u0301\u0323'.repeat(LENGTH / 4)}`,
  'signs of a phone number': `+${'(-'.repeat(LENGTH / 2)}1`,
  'a ligature that is eighteen letters': '\ufdfa'.repeat(LENGTH / 3),
  'an address without an end': `a@${'a.'.repeat(LENGTH / 2)}`,
};

/** Repetitions of each validation. In quadratic time, each would take a second or more, and the test would time out. */
const TIMES = 40;

test.each(FIELD_TYPES)('a field of type %s validates the largest values in linear time', async (type) => {
  const fields = [aField({ id: 'x', type, ...(type === 'choices' && { choices: ['a', 'b'] }) })];
  for (const [worst, value] of Object.entries(LARGEST)) {
    const sent = JSON.stringify(type === 'address' ? { city: value } : value);
    for (let time = 0; time < TIMES; time++) {
      const { changes, errors } = await validateData(new Map([['x', sent]]), { fields, country: 'DE' }, undefined);
      expect([worst, changes.size + errors.length]).toEqual([worst, 1]);
    }
  }
});

test('matching 1,331 spellings with 5,001 choices takes linear, not quadratic time', async () => {
  const blanks = [
    ' ',
    '\u00a0',
    '\u2000',
    '\u2001',
    '\u2002',
    '\u2003',
    '\u2004',
    '\u2005',
    '\u2006',
    '\u2007',
    '\u2008',
  ];
  const spellings = blanks.flatMap((one) => blanks.flatMap((two) => blanks.map((three) => `z${one}${two}${three}`)));
  const choices = [...Array.from({ length: 5_000 }, (_, at) => `choice ${at}`), 'z'];
  const fields = [aField({ id: 'x', type: 'choices', choices })];
  for (let time = 0; time < TIMES; time++) {
    const { changes } = await validateData(new Map([['x', JSON.stringify(spellings)]]), { fields }, undefined);
    expect(changes.get('x')).toBe('["z"]');
  }
});
