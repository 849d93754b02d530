import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatTable } from '../../../../infra/cli/terminal/table.ts';
import { hangingIndent, wrapText } from '../../../../infra/cli/terminal/wrap-text.ts';

describe('text wrapping', () => {
  test('breaks between words', () => {
    expect(wrapText('The sceptical homeowner', 16)).toBe('The sceptical\nhomeowner');
    expect(wrapText('one\ntwo three', 5)).toBe('one\ntwo\nthree');
  });

  test('breaks within a word that is longer than a line, but never within a character', () => {
    expect(wrapText('an Angebotsvergleich', 8)).toBe('an\nAngebots\nvergleic\nh');
    expect(wrapText('山田さんの電話', 6)).toBe('山田さ\nんの電\n話');
    expect(wrapText('👩‍🚀👩‍🚀👩‍🚀', 4)).toBe('👩‍🚀👩‍🚀\n👩‍🚀');
  });

  test('keeps all characters in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (text, columns) => {
        const letters = (of: string) => of.replaceAll(/[ \n]/g, '');
        expect(letters(wrapText(text, columns))).toBe(letters(text));
      }),
    );
  });

  test('indents each line after the first by the width of the label', () => {
    expect(hangingIndent('00:01  ', 'What do you need?', 16)).toBe('00:01  What do\n       you need?\n');
    expect(hangingIndent('00:01  ', 'What do you need?', undefined)).toBe('00:01  What do you need?\n');
  });
});

test.each([
  ['words', 'The sceptical homeowner who compares'],
  ['wide letters', '太陽光発電の見積もりについて電話する顧客'],
  ['emojis', '☀️🏠👍🏽🇩🇪 sun 👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀'],
])('a table of 80 columns contains the whole text of a cell with %s', (_, name) => {
  const layout = { head: ['CASE', 'MADE', 'LEVEL', 'NAME'], widths: [36, 16, 6], columns: 80 };
  const out = formatTable(layout, [['an id', '2026-11-20 18:57', 'medium', name]]);
  const shown = out
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^an id +2026-11-20 18:57 +medium/, '').trim());
  expect(shown.join('').replaceAll(' ', '')).toBe(name.replaceAll(' ', ''));
});

test('a table aligns numbers below their headings, separates its columns and fits into 80 columns', () => {
  const aligns = ['left', 'right', 'right', 'right'] as const;
  const layout = { head: ['FUNNEL', 'LEADS', 'FILES', 'EVENTS'], widths: [60, 5, 5], columns: 80, aligns };
  const rows = [
    ['one', '12', '1,234', '1,234,567'],
    ['two', '12,345', '3', '4'],
  ];
  expect(formatTable(layout, rows)).toBe(
    [
      `FUNNEL${' '.repeat(56)}LEADS  FILES     EVENTS`,
      `one${' '.repeat(62)}12  1,234  1,234,567`,
      `two${' '.repeat(59)}12,34      3          4`,
      `${' '.repeat(66)}5`,
      '',
    ].join('\n'),
  );
});

test('the last column of a table stays readable even if the other columns fill the terminal', () => {
  const out = formatTable({ head: ['ID', 'NAME'], widths: [76], columns: 80 }, [['x', 'homeowner']]);
  expect(out).toContain('homeowner\n');
});
