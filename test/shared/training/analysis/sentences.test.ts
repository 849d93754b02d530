import { expect, test } from 'vitest';
import { sentenceSpans } from '../../../../shared/training/analysis/sentences.ts';

test('sentences end at their marks, not at abbreviations, numbers or dates', () => {
  const text = 'Ca. 49.90 Euro, z. B. am 5. Mai. Gut? „Ja!“ Dr. Weber\nkommt… Ende';
  const sentences = sentenceSpans(text).map(({ start, end }) => text.slice(start, end));
  expect(sentences).toEqual(['Ca. 49.90 Euro, z. B. am 5. Mai.', 'Gut?', '„Ja!“', 'Dr. Weber', 'kommt…', 'Ende']);
});
