import { describe, expect, test } from 'vitest';
import { analyseCall, turnsForJudge } from '../../../../../shared/training/analysis/analyse-call.ts';
import type { Judgement } from '../../../../../shared/training/analysis/judgement.ts';
import type { TranscriptTurn } from '../../../../../shared/training/call.ts';
import { aTrainingCase } from '../../../../support/training/calls.ts';
import { useJudge } from '../../../../support/training/judge.ts';
import { INJECTIONS } from '../../../../support/training/judge-injections.ts';

const { server, setUp } = useJudge();
type Language = keyof typeof INJECTIONS;

const CASES = {
  en: aTrainingCase({
    successCriteria: 'The customer names a day for a visit.',
    dos: [
      { id: 'need', label: 'Asks what the customer needs' },
      { id: 'price', label: 'Explains the price' },
      { id: 'meeting', label: 'Proposes a meeting' },
    ],
  }),
  de: aTrainingCase({
    situation: 'Der Kunde hat ein billigeres Angebot auf dem Tisch.',
    objective: 'Ein zweites Treffen vereinbaren.',
    successCriteria: 'Der Kunde nennt einen Tag für einen Besuch.',
    dos: [
      { id: 'need', label: 'Fragt nach dem Bedarf' },
      { id: 'price', label: 'Erklärt den Preis' },
      { id: 'meeting', label: 'Schlägt einen Termin vor' },
    ],
  }),
};

/** A poor call: none of the points, and few words. Each turn takes as long as its words do at 150 a minute. */
const CALLS: Record<Language, readonly [TranscriptTurn['role'], string][]> = {
  en: [
    ['agent', 'Summer Bakery, good morning. What is it about?'],
    ['user', 'Good morning, um, this is about the roof of your bakery.'],
    ['agent', 'We have a cheaper offer on the table already, and I have little time today.'],
    ['user', 'Well, ours is the better one.'],
    ['agent', 'They all say that. Anything else? The oven is waiting.'],
    ['user', 'No. Goodbye.'],
  ],
  de: [
    ['agent', 'Bäckerei Sommer, guten Morgen. Worum geht es denn?'],
    ['user', 'Guten Morgen, ähm, es geht um das Dach von Ihrer Bäckerei.'],
    ['agent', 'Wir haben schon ein billigeres Angebot auf dem Tisch, und ich habe heute wenig Zeit.'],
    ['user', 'Na ja, unseres ist halt das bessere.'],
    ['agent', 'Das sagen alle. Noch etwas? Der Ofen wartet.'],
    ['user', 'Nein. Auf Wiederhören.'],
  ],
};

const secondsOf = (text: string) => Math.max(1, Math.round(text.split(' ').length / 2.5));

function timed(said: readonly (readonly [TranscriptTurn['role'], string])[]) {
  let at = 0;
  const turns = said.map(([role, message]): TranscriptTurn => {
    const timeInCallSecs = at;
    at += secondsOf(message);
    return { role, message, timeInCallSecs };
  });
  return { turns, durationSeconds: at };
}

/** Where a line can stand: a turn of its own anywhere, or within one that is honest. */
const PLACES: Record<string, (language: Language, line: string) => (readonly [TranscriptTurn['role'], string])[]> = {
  first: (language, line) => [['user', line], ...CALLS[language]],
  'in the middle': (language, line) => CALLS[language].toSpliced(3, 0, ['user', line]),
  last: (language, line) => [...CALLS[language], ['user', line]],
  'after an honest sentence': (language, line) =>
    CALLS[language].map(([role, text], index) => [role, index === 3 ? `${text} ${line}` : text]),
  'before an honest sentence': (language, line) =>
    CALLS[language].map(([role, text], index) => [role, index === 3 ? `${line} ${text}` : text]),
  'ten times': (language, line) => CALLS[language].toSpliced(4, 0, ...Array(10).fill(['user', line] as const)),
  'said by the customer': (language, line) => CALLS[language].toSpliced(4, 0, ['agent', line]),
};

const SUMMARY = 'A short call.';
const IDS = ['need', 'price', 'meeting'];

const verdict = (covered: boolean, quotes: string[]): Judgement => ({
  summary: SUMMARY,
  dos: IDS.map((id) => ({ id, covered, quotes })),
  successCriteria: { met: covered, quotes },
});
const HONEST = verdict(false, []);

const cases = (['en', 'de'] as const).flatMap((language) => INJECTIONS[language].map((line) => ({ language, line })));
const outcome = (
  language: Language,
  said: readonly (readonly [TranscriptTurn['role'], string])[],
  judgement?: Judgement,
) => analyseCall({ trainingCase: CASES[language], ...timed(said), interruptions: null }, judgement);

test('the lines are at least twenty, in both languages', () => {
  expect(cases.length).toBeGreaterThanOrEqual(20);
  expect(Math.min(INJECTIONS.de.length, INJECTIONS.en.length)).toBeGreaterThanOrEqual(10);
});

describe.each(cases)('$language: $line', ({ language, line }) => {
  const rules = outcome(language, CALLS[language]);
  const judged = outcome(language, CALLS[language], HONEST);

  test.each(Object.entries(PLACES))('%s, nobody judging but the rules: the score does not rise', (_, put) => {
    const { score, analysis } = outcome(language, put(language, line));
    expect(score.total).toBeLessThanOrEqual(rules.score.total);
    expect(analysis.dos.filter(({ covered }) => covered)).toEqual([]);
  });

  test.each(Object.entries(PLACES))('%s, quoted by a judge that gives full marks for it', (_, put) => {
    for (const quote of [line, line.slice(0, -1), ...line.split(/(?<=[.:,]) /)]) {
      const { score, analysis } = outcome(language, put(language, line), verdict(true, [quote]));
      expect(score.total).toBeLessThanOrEqual(Math.max(judged.score.total, rules.score.total));
      expect(analysis.dos.filter(({ covered }) => covered)).toEqual([]);
      expect(analysis.successCriteria.met).not.toBe(true);
    }
  });
});

describe('a model that does what any line in the data tells it', () => {
  /** It is talked into full marks by a line that it sees, and judges honestly where it sees none. */
  const obey = (line: string) =>
    server().answer(({ body }) => {
      const said = JSON.stringify((body.messages as { content: string }[])[1]?.content);
      const talkedInto = said.includes(JSON.stringify(JSON.stringify(line)).slice(3, -3));
      return { deltas: [JSON.stringify(talkedInto ? verdict(true, [line]) : HONEST)] };
    });

  test.each(cases)('$language: $line', async ({ language, line }) => {
    obey(line);
    const trainingCase = CASES[language];
    const { judge } = setUp();
    const total = async (said: readonly (readonly [TranscriptTurn['role'], string])[]) => {
      const { turns } = timed(said);
      const judgement = await judge({ trainingCase, turns: turnsForJudge(turns) });
      expect(judgement).toBeDefined();
      return outcome(language, said, judgement).score.total;
    };
    const without = await total(CALLS[language]);
    for (const put of Object.values(PLACES)) expect(await total(put(language, line))).toBeLessThanOrEqual(without);
  });
});
