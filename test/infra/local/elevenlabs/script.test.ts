import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rehearsal } from '../../../../infra/local/elevenlabs/rehearsal.ts';
import { generateConversation } from '../../../../infra/local/elevenlabs/script.ts';
import { silentMp3 } from '../../../../infra/local/elevenlabs/silent-mp3.ts';

const DE_DOS = ['Nach dem Alter des Daches fragen', 'Den nächsten Schritt und einen Termin nennen'];
const EN_DOS = ['Ask about the age of the roof', 'Name the next step and a date'];

const aRehearsal = (changes: Partial<Rehearsal> = {}): Rehearsal => ({
  signed_url: '',
  script: 'good',
  language: 'en',
  persona: { name: 'Alex', objections: ['It is dear.'] },
  case: { objective: 'Agree on a visit.', dos: EN_DOS.map((label) => ({ label })) },
  ...changes,
});
const german = (changes: Partial<Rehearsal> = {}) =>
  aRehearsal({ language: 'de', case: { objective: 'Besuch', dos: DE_DOS.map((label) => ({ label })) }, ...changes });

const saidBy = (role: 'user' | 'agent', rehearsal: Rehearsal): string[] =>
  generateConversation(rehearsal).lines.flatMap((line) => (line.role === role ? [line.text] : []));

describe.each([
  ['en', aRehearsal, EN_DOS],
  ['de', german, DE_DOS],
] as const)('in the language %s', (_, make, dos) => {
  test('a good trainee does the dos, asks questions and lets the customer speak', () => {
    const trainee = saidBy('user', make());
    for (const label of dos) expect(trainee.join(' ').toLowerCase()).toContain(label.toLowerCase());
    expect(trainee.filter((text) => text.includes('?')).length).toBeGreaterThanOrEqual(4);
    expect(saidBy('agent', make()).join(' ').length).toBeGreaterThan(0.6 * trainee.join(' ').length);
    expect(generateConversation(make()).lines.some(({ cutOff }) => cutOff)).toBe(false);
  });

  test('a poor trainee asks no questions, does none of the dos, uses fillers and interrupts', () => {
    const trainee = saidBy('user', make({ script: 'poor' })).join(' ');
    expect(trainee).not.toContain('?');
    for (const label of dos) expect(trainee.toLowerCase()).not.toContain(label.toLowerCase());
    expect(trainee.match(/\b(?:um|uh|ähm|äh)\b|ähm|äh/gi)?.length).toBeGreaterThan(10);
    expect(
      generateConversation(make({ script: 'poor' })).lines.filter(({ cutOff }) => cutOff).length,
    ).toBeGreaterThanOrEqual(2);
    expect(trainee.length).toBeGreaterThan(2 * saidBy('agent', make({ script: 'poor' })).join(' ').length);
  });
});

test('the trainee covers the dos about the end of a call last, even if the case lists these dos first', () => {
  const dos = [...EN_DOS].reverse().map((label) => ({ label }));
  const trainee = saidBy('user', aRehearsal({ case: { objective: 'Agree', dos } }));
  const at = (words: string) => trainee.findIndex((text) => text.includes(words));
  expect(at('age of the roof')).toBeLessThan(at('next step'));
});

test('if the label of a German do is only a noun, the trainee says “Wichtig ist mir dabei:” before the label', () => {
  const rehearsal = german({ case: { objective: 'Besuch', dos: [{ label: 'Bedarfsanalyse' }] } });
  expect(saidBy('user', rehearsal).join(' ')).toContain('Wichtig ist mir dabei: Bedarfsanalyse.');
});

const words = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyRehearsal = fc.record({
  signed_url: fc.constant(''),
  script: fc.constantFrom('good' as const, 'poor' as const),
  language: fc.constantFrom('de' as const, 'en' as const),
  first_message: words,
  case: fc.record({ objective: words, dos: fc.array(fc.record({ label: words }), { maxLength: 10 }) }),
  persona: fc.record({ name: words, objections: fc.array(words, { maxLength: 10 }) }),
});

test('for any case, the customer begins, the speakers alternate, times never decrease, and no line is empty', () => {
  fc.assert(
    fc.property(anyRehearsal, (rehearsal) => {
      const { lines, seconds } = generateConversation(rehearsal);
      lines.forEach(({ role, text, atSeconds }, at) => {
        expect(role).toBe(at % 2 === 0 ? 'agent' : 'user');
        expect(text.trim()).not.toBe('');
        expect(atSeconds).toBeGreaterThanOrEqual(lines[at - 1]?.atSeconds ?? 0);
      });
      expect(seconds).toBeGreaterThan(lines.at(-1)?.atSeconds ?? 0);
    }),
  );
});

test('the same request gives the same conversation', () => {
  expect(generateConversation(german())).toEqual(generateConversation(german()));
});

test('a silent recording of two hours is smaller than 7.3 MB', () => {
  expect(silentMp3(7_200).length).toBeLessThan(7_300_000);
});
