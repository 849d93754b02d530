import { expect, test } from 'vitest';
import { countWords } from '../../../../shared/training/analysis/words.ts';

test.each([
  ['Don’t worry, it costs 49.90 €!', 7],
  ['😀 … —', 0],
  ['東京に行きます', 4],
  ['שלום עולם', 2],
])('«%s» has %i words', (text, count) => expect(countWords(text)).toBe(count));
