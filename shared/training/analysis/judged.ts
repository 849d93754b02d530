import type { Analysis, Evidence, TranscriptTurn } from '../call.ts';
import type { CoveredByRules } from './coverage.ts';
import { EVIDENCE_MAX } from './coverage.ts';
import { criteriaProof, doProof, sentencesAt } from './judged-proof.ts';
import type { Judgement } from './judgement.ts';
import { evidenceAt, type Place, type Quotes, quotesIn } from './quotes.ts';
import type { Sentence } from './sentences.ts';
import { SENTENCE_CHARACTERS_MAX, spaced, wordsOf } from './words.ts';

const DO_WORDS_MIN = 3;
/** «Ja, gerne» can be what a case was held for; a single word can be about anything. */
const CRITERIA_WORDS_MIN = 2;
/** What is quoted for so many things at once was said to prove things, not to a customer. */
const CLAIMS_MAX = 2;
/** A judge that was talked into so many things is believed in nothing. */
const BOUGHT_MAX = 1;
const QUOTES_TRIED_MAX = 10;

type Verdict = Pick<Analysis, 'successCriteria' | 'judgedBy'> & { dos: CoveredByRules[]; summary: string | undefined };

/**
 * @property honest without the turns that speak to the judge, which are `excluded`
 * @property sentences the trainee's, of the honest turns
 */
type Heard = {
  honest: readonly TranscriptTurn[];
  excluded: readonly TranscriptTurn[];
  sentences: readonly Sentence[];
  criteria: string;
  language: string;
};
type Evident = {
  quotes: Quotes;
  spanned: (place: Place) => Sentence[];
  answerTo: (turn: TranscriptTurn) => string;
  language: string;
};

/**
 * What the rules found together with what a judge can prove. A judge adds, and takes nothing away. A do is covered when
 * one of at most three quotes, three words or longer, stands in what the trainee said, and a sentence there can be what
 * the do asks for (see `judged-proof.ts`); the success criteria are judged (met or not) when a quote of two words or
 * longer stands in what the customer said, or in what the trainee said of them. A sentence that is quoted for three
 * things or more proves nothing, and a judge that was talked into two things is not believed at all: ways to speak to a
 * judge are without end, and what was bought with one shows by this.
 */
export function judged(dos: readonly CoveredByRules[], heard: Heard, judgement?: Judgement): Verdict {
  const byRules = { met: null, evidence: [] };
  const quotes = quotesIn(heard.honest);
  if (judgement === undefined || isBought(judgement, quotes, heard.excluded)) {
    return { dos: [...dos], successCriteria: byRules, judgedBy: 'rules', summary: undefined };
  }
  const evident = {
    ...{ quotes, spanned: unclaimed(judgement, quotes, heard.sentences) },
    ...{ answerTo: answersIn(heard.honest), language: heard.language },
  };
  const together = dos.map((found) => withJudged(found, judgement, evident));
  const evidence = criteriaEvidence(judgement.successCriteria.quotes, heard, evident);
  const isUsed = evidence.length > 0 || together.some((found, index) => found !== dos[index]);
  return {
    dos: together,
    successCriteria: evidence.length > 0 ? { met: judgement.successCriteria.met, evidence } : byRules,
    judgedBy: isUsed ? 'model' : 'rules',
    summary: isUsed ? judgement.summary : undefined,
  };
}

function criteriaEvidence(claimed: readonly string[], { criteria }: Heard, evident: Evident): Evidence[] {
  const proves = criteriaProof(criteria, evident.language);
  return proven(claimed, (quote) => {
    const place = evident.quotes(quote, CRITERIA_WORDS_MIN);
    if (place === undefined || place.turn.role === 'agent') return place;
    return evident.spanned(place).some((sentence) => proves(sentence, '')) ? place : undefined;
  });
}

function withJudged(found: CoveredByRules, { dos }: Judgement, evident: Evident): CoveredByRules {
  const said = dos.find(({ id, covered }) => id === found.id && covered);
  if (said === undefined) return found;
  const proves = found.covered ? () => true : doProof(found.label, evident.language);
  const added = proven(said.quotes, (quote) => {
    const place = evident.quotes(quote, DO_WORDS_MIN, 'user');
    if (place === undefined) return undefined;
    const answer = evident.answerTo(place.turn);
    return evident.spanned(place).some((sentence) => proves(sentence, answer)) ? place : undefined;
  }).filter(({ quote }) => !found.evidence.some((known) => known.quote.includes(quote)));
  const evidence = [...found.evidence, ...added].slice(0, EVIDENCE_MAX);
  if (evidence.length === found.evidence.length) return found;
  return { ...found, covered: true, evidence, decidable: true };
}

/** The customer's words right behind a turn, as far as they can be the answer to it. */
function answersIn(turns: readonly TranscriptTurn[]): Evident['answerTo'] {
  const following = new Map(turns.map((turn, at) => [turn, turns[at + 1]]));
  return (turn) => {
    const next = following.get(turn);
    return next?.role === 'agent' ? spaced(wordsOf(next.message.slice(0, SENTENCE_CHARACTERS_MAX))) : '';
  };
}

/** What a judge says is so, each with its quotes. */
const claimsOf = ({ dos, successCriteria }: Judgement): (readonly string[])[] =>
  [...dos.filter(({ covered }) => covered), successCriteria].map(({ quotes }) => quotes.slice(0, QUOTES_TRIED_MAX));

/** The sentences of a quote that are claimed for one or two things. */
function unclaimed(judgement: Judgement, quotes: Quotes, sentences: readonly Sentence[]): Evident['spanned'] {
  const ofTurn = Map.groupBy(sentences, ({ turn }) => turn);
  const spanned = (place: Place) => sentencesAt(ofTurn.get(place.turn) ?? [], place);
  const claims = new Map<Sentence, number>();
  for (const claimed of claimsOf(judgement)) {
    const places = claimed.flatMap((quote) => quotes(quote, CRITERIA_WORDS_MIN) ?? []);
    for (const sentence of new Set(places.flatMap(spanned))) claims.set(sentence, (claims.get(sentence) ?? 0) + 1);
  }
  return (place) => spanned(place).filter((sentence) => (claims.get(sentence) ?? 0) <= CLAIMS_MAX);
}

/** Whether two things or more stand only in what was said to the judge. */
function isBought(judgement: Judgement, quotes: Quotes, excluded: readonly TranscriptTurn[]): boolean {
  if (excluded.length === 0) return false;
  const bought = quotesIn(excluded);
  const talkedInto = claimsOf(judgement).filter(
    (claimed) =>
      claimed.some((quote) => bought(quote, 1) !== undefined) &&
      claimed.every((quote) => quotes(quote, 1) === undefined),
  );
  return talkedInto.length > BOUGHT_MAX;
}

function proven(quotes: readonly string[], find: (quote: string) => Place | undefined): Evidence[] {
  const found = quotes.slice(0, QUOTES_TRIED_MAX).flatMap((quote) => {
    const place = find(quote);
    return place === undefined ? [] : [evidenceAt(place)];
  });
  return found
    .filter(({ quote }, at) => found.findIndex((other) => other.quote === quote) === at)
    .slice(0, EVIDENCE_MAX);
}
