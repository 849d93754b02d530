import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leadCsv } from '../../../../infra/cli/leads/lead-csv.ts';
import { parseCsv } from '../../../support/csv.ts';
import { aLead } from '../../../support/leads/a-lead.ts';
import { aLeadKey } from '../../../support/leads/lead-repository.ts';

const AT = '2026-03-01T12:00:00.000Z';

const aLeadOf = (data: Record<string, unknown>) => ({
  ...aLead(aLeadKey(), AT),
  data: new Map(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)])),
});

type Said = { fields?: string[]; withOther?: boolean; raw?: boolean };

/** Writes the leads as CSV, and returns the parsed header and rows. */
function written(leads: ReturnType<typeof aLeadOf>[], { fields = [], withOther = false, raw = false }: Said = {}) {
  const { head, rows } = leadCsv({ fields, withOther, raw });
  const [names = [], ...cells] = parseCsv(head + rows(leads));
  return {
    names,
    rows: cells,
    byName: cells.map((row) => Object.fromEntries(row.map((cell, at) => [names[at], cell]))),
  };
}

const cellOf = (value: unknown, said: Said = {}) =>
  written([aLeadOf({ x: value })], { ...said, fields: ['x'] }).byName[0]?.x;

test('a lead has a column for each standard attribute and field, and with `withOther` one for all other data', () => {
  const lead = { ...aLeadOf({ name: 'Ada', more: { a: 1 }, '2': [true] }), pageUrl: 'https://shop.example/' };
  const { names, byName } = written([lead], { fields: ['name', 'email'], withOther: true });
  expect(names).toEqual([
    ...['lead_id', 'first_submitted_at', 'last_submitted_at', 'completed_at', 'submits', 'last_step', 'verified'],
    ...['page_url', 'device_class', 'name', 'email', 'other'],
  ]);
  expect(byName).toMatchObject([
    { lead_id: lead.leadId, last_submitted_at: AT, name: 'Ada', email: '', page_url: 'https://shop.example/' },
  ]);
  expect(JSON.parse(byName[0]?.other ?? '')).toEqual({ more: { a: 1 }, '2': [true] });
});

test('a field that is named like a standard column gets its own column, data.<field>', () => {
  const { names } = written([], { fields: ['submits', 'other', 'name'], withOther: true });
  expect(names.slice(-4)).toEqual(['data.submits', 'data.other', 'name', 'other']);
  expect(new Set(names).size).toBe(names.length);
});

test('last_step is the most recently submitted step, and "verified" lists the verified fields', () => {
  const step = (id: string, lastAt: string) => ({ id, firstAt: AT, lastAt, count: 1 });
  const lead = {
    ...aLeadOf({}),
    steps: [step('a', '2026-03-01T12:00:02.000Z'), step('b', '2026-03-01T12:00:01.000Z')],
    verified: [
      { field: 'email', at: AT },
      { field: 'phone', at: AT },
    ],
  };
  expect(written([lead]).byName).toMatchObject([{ last_step: 'a', verified: 'email; phone' }]);
});

test.each([
  ['text', 'text'],
  ['', ''],
  [42, '42'],
  [-1.5, '-1.5'],
  [true, 'true'],
  [['panels', 'battery'], 'panels; battery'],
  [['one; two', 'three'], '["one; two","three"]'],
  [[], '[]'],
  [[1, 2], '[1,2]'],
  [{ city: 'Bonn' }, '{"city":"Bonn"}'],
  ['a\r\nb', 'a\r\nb'],
  ['a\nb', 'a\nb'],
  ['a\rb', 'a\rb'],
  ['say "hi", twice', 'say "hi", twice'],
])('the value %j becomes the cell %j', (value, cell) => {
  expect(cellOf(value)).toBe(cell);
});

test.each(['=1+1', '+SUM(A1)', '-2+3', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '+49 30|calc', '-', "'=1", "''@a"])(
  'the text %j gets an apostrophe, and is unchanged with `raw`',
  (formula) => {
    expect(cellOf(formula)).toBe(`'${formula}`);
    expect(cellOf(formula, { raw: true })).toBe(formula);
  },
);

test.each(['+4930901820', '-5', '+1.5', '-1e-5', 'a=b', "it's", "'quoted'", ' =1'])(
  'the text %j is unchanged, because it is not a formula',
  (text) => {
    expect(cellOf(text)).toBe(text);
  },
);

test.each([
  ['Bonn;=1+1', "Bonn;'=1+1"],
  ['Bonn\t=1+1', "Bonn\t'=1+1"],
  ['Bonn|@SUM(A1)', "Bonn|'@SUM(A1)"],
  ['Bonn\n-2+3', "Bonn\n'-2+3"],
  ['\t=1', "'\t'=1"],
  ['Bonn; =1+1', "Bonn;' =1+1"],
  // CSV writes the quote as two quotes. A spreadsheet that separates cells at `;` reads the two quotes as an empty
  // text, and the rest as a formula.
  ['Bonn;"=1+1;x', `Bonn;'"=1+1;x`],
  [['panels', '=1+1'], "panels;' =1+1"],
])('in %j, an apostrophe is inserted before the formula that follows a separator', (value, cell) => {
  expect(cellOf(value)).toBe(cell);
});

/**
 * Splits CSV into cells as spreadsheets do. Quotes have a meaning only at the start of a cell, and text after the
 * closing quote belongs to the cell.
 */
function spreadsheetCells(csv: string, separator: string): string[] {
  const cells: string[] = [];
  let [cell, isStart, isQuoted] = ['', true, false];
  for (let at = 0; at < csv.length; at++) {
    const character = csv.charAt(at);
    if (isQuoted && character === '"' && csv[at + 1] === '"') cell += csv.charAt(++at);
    else if (isQuoted && character === '"') isQuoted = false;
    else if (isQuoted) cell += character;
    else if (isStart && character === '"') [isStart, isQuoted] = [false, true];
    else if (character === separator || character === '\r' || character === '\n') {
      cells.push(cell);
      [cell, isStart] = ['', true];
    } else [cell, isStart] = [cell + character, false];
  }
  return [...cells, cell];
}

test('without `raw`, no text becomes a formula in a cell, for any separator that a spreadsheet may use', () => {
  const parts = fc.constantFrom('"', ',', ';', '|', '\t', '\r', '\n', "'", '=', '+', '-', '@', '＝', 'a', ' ', '1');
  const hostile = fc.array(parts, { maxLength: 10 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(
      fc.array(hostile, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(',', ';', '\t', '|'),
      (texts, by) => {
        const leads = texts.map((x) => aLeadOf({ x, y: x }));
        const { head, rows } = leadCsv({ fields: ['x', 'y'], withOther: true, raw: false });
        const formulas = spreadsheetCells(head + rows(leads), by).filter((cell) => /^[=+\-@＝]/.test(cell));
        // Numbers are not formulas.
        expect(formulas.filter((cell) => !/^[+-]\d+$/.test(cell))).toEqual([]);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('an apostrophe is inserted before a formula in a field name', () => {
  expect(written([], { fields: ['=cmd()'] }).names.at(-1)).toBe("'=cmd()");
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.constantFrom('"', ',', '\r', '\n', "'", '=', '+', ';', 'a', ' ', '1'), { maxLength: 8 })
    .map((parts) => parts.join('')),
);

const INSERTED = /^'(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[;|\t\r\n])'(?=[ "']*[=+\-@＝＋－＠])/g;

test('without the inserted apostrophes, the CSV contains any well-formed text unchanged', () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), fc.boolean(), (texts, raw) => {
      const { rows } = written(
        texts.map((x) => aLeadOf({ x })),
        { fields: ['x'], raw },
      );
      const cells = rows.map((row) => String(row.at(-1)));
      const read = raw ? cells : cells.map((cell) => cell.replace(INSERTED, ''));
      expect(read).toEqual(texts);
    }),
    { numRuns: 1_000 },
  );
});

test('half of a surrogate pair, which UTF-8 cannot encode, becomes the replacement character', () => {
  expect(cellOf('a\ud800')).toBe('a\ufffd');
});
