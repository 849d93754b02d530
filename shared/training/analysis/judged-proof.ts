import { isForm, provesNothing } from './coverage.ts';
import { FUNCTION_WORDS } from './function-words.ts';
import { type Stem, stemFor, type Wanted, wantedBy } from './labels.ts';
import { isOpen } from './questions.ts';
import type { Place } from './quotes.ts';
import type { Sentence } from './sentences.ts';

const RECITED_WORDS_MIN = 3;

/** Whether a sentence of the trainee's can prove what a judge quotes it for. @param answer the customer's words to it */
export type Proves = (sentence: Sentence, answer: string) => boolean;

/** The sentences that a quote stands in or spans. */
export const sentencesAt = (sentences: readonly Sentence[], { start, end }: Place): Sentence[] =>
  sentences.filter((sentence) => sentence.start < end && sentence.end > start);

/**
 * Far less than rules ask for, since a judge understands other words than they know: where the label says to ask, a real
 * question, where it says to tell, a statement; one of the label's subjects or telling words, where it has any, for a
 * question also in the answer to it; neither denied nor only announced. What can't be looked for («Stay calm») is the judge's to say.
 */
export function doProof(label: string, language: string): Proves {
  const stem = stemFor(language);
  const wanted = wantedBy(label, stem);
  return (sentence, answer) => {
    const { asked, words } = sentence;
    if (provesNothing(sentence, wanted, stem) || isRecited(sentence, wanted, stem)) return false;
    if (!wanted.isSayable) return true;
    if ((wanted.act === 'ask' && !asked) || (wanted.act === 'tell' && asked)) return false;
    if (wanted.concepts.length + wanted.stems.length > 0) {
      const isAnswered =
        asked && (wanted.concepts.some(({ named }) => named.test(answer)) || isAbout(answer, wanted, stem, language));
      return isAnswered || isAbout(words, wanted, stem, language);
    }
    return wanted.openQuestions === 0 || isOpen(words);
  };
}

/** One of the criteria's subjects or telling words, and words of its own. */
export function criteriaProof(criteria: string, language: string): Proves {
  const stem = stemFor(language);
  const wanted = wantedBy(criteria, stem);
  return (sentence) =>
    !provesNothing(sentence, wanted, stem) &&
    !isRecited(sentence, wanted, stem) &&
    isAbout(sentence.words, wanted, stem, language);
}

function isAbout(words: string, { concepts, stems }: Wanted, stem: Stem, language: string): boolean {
  if (concepts.some(({ said, with: besides }) => (besides ?? said).test(words))) return true;
  const said = words.trim().split(' ').map(stem);
  return stems.some((wanted) => said.some((word) => isForm(word, wanted, language)));
}

/** A statement of the label's own telling words, three or more, and no other. */
function isRecited({ words, asked }: Sentence, { named }: Wanted, stem: Stem): boolean {
  const telling = words
    .trim()
    .split(' ')
    .filter((word) => !FUNCTION_WORDS.de.has(word) && !FUNCTION_WORDS.en.has(word));
  return !asked && telling.length >= RECITED_WORDS_MIN && telling.every((word) => named.has(stem(word)));
}
