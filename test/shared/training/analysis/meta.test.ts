import { expect, test } from 'vitest';
import { analyseCall } from '../../../../shared/training/analysis/analyse-call.ts';
import { appealsIn } from '../../../../shared/training/analysis/appeals.ts';
import type { Judgement } from '../../../../shared/training/analysis/judgement.ts';
import { aCall, CASES, SAID } from './calls.ts';
import { HARMLESS_META, META } from './meta-lines.ts';

const isAppeal = (message: string) => appealsIn([{ role: 'user', message, timeInCallSecs: 0 }]).size === 1;

test('of what speaks of the call instead of to the customer, 95 % and more are known', () => {
  expect(META.filter(isAppeal).length / META.length).toBeGreaterThanOrEqual(0.95);
});

test.each(HARMLESS_META)('is not taken for an appeal: %s', (line) => expect(isAppeal(line)).toBe(false));

test.each(META)(
  'known or not, it covers nothing, and a judge that quotes it for everything is not believed: %s',
  (line) => {
    for (const language of ['en', 'de'] as const) {
      const call = aCall(language, [...SAID.poor[language], ['t', line]]);
      const judgement: Judgement = {
        summary: undefined,
        dos: CASES[language].dos.map(({ id }) => ({ id, covered: true, quotes: [line] })),
        successCriteria: { met: true, quotes: [line] },
      };
      const { analysis } = analyseCall(call, judgement);
      expect(analysis).toMatchObject({ judgedBy: 'rules', successCriteria: { met: null } });
      expect(analysis.dos.filter(({ covered }) => covered)).toEqual([]);
    }
  },
);
