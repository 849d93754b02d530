import { expect, test } from 'vitest';
import { splitSentences } from '../../../../shared/training/analysis/sentences.ts';

const questions = (language: string, message: string) =>
  splitSentences([{ role: 'user', timeInCallSecs: 0, message }], language).filter(({ isQuestion }) => isQuestion)
    .length;

test.each([
  ['de', 'Was kostet Sie das heute?'],
  ['de', 'was kostet sie das heute'],
  ['de', 'Haben Sie schon eine Lösung.'],
  ['de', 'Und wie viele Leute arbeiten bei Ihnen'],
  ['de', 'Mich würde interessieren, wie Sie das machen.'],
  ['de', 'Sie haben zwanzig Mitarbeiter?'],
  ['de', 'Warum nicht?'],
  ['de', 'Seit wann haben Sie das'],
  ['de', 'Passt Ihnen Dienstag'],
  ['en', 'what does that cost you today'],
  ['en', 'So, how many people do you have.'],
  ['en', 'Do you have a minute'],
  ['en', 'Tell me about your team.'],
  ['en', 'You have twenty people?'],
  ['en', 'Is that right?'],
  ['fr', 'Quel est votre budget ?'],
  ['ja', '予算はいくらですか？'],
])('in the language %s, «%s» is a question', (language, said) => expect(questions(language, said)).toBe(1));

test.each([
  ['de', 'Das ist doch gut, oder?'],
  ['de', 'Das passt Ihnen, nicht wahr?'],
  ['de', 'Hallo?'],
  ['de', 'Wie gesagt, das ist kein Problem.'],
  ['de', 'Was ich meine, ist der Preis.'],
  ['de', 'Kann ich verstehen.'],
  ['de', 'Haben Sie vielen Dank.'],
  ['de', 'Wenn Sie wollen, komme ich vorbei.'],
  ['en', 'That is good, right?'],
  ['en', "It's fine, isn't it?"],
  ['en', 'Hello?'],
  ['en', 'When I was there, it worked.'],
  ['en', 'What a day.'],
  ['en', 'Have a nice day.'],
  ['fr', 'Quel beau temps.'],
])('in the language %s, «%s» is not a question', (language, said) => expect(questions(language, said)).toBe(0));

test('in English, a statement that begins with “What we can do” or “What I would like” is not a question', () => {
  expect(questions('en', 'What we can do is look at the rate.')).toBe(0);
  expect(questions('en', 'What I would like us to reach today: a plan.')).toBe(0);
});
