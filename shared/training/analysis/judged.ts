import type { Analysis, Turn } from '../call.ts';
import type { CoveredByRules } from './coverage.ts';
import { EVIDENCE_MAX } from './coverage.ts';
import type { Judgement } from './judgement.ts';
import { type Quotes, quotesIn } from './quotes.ts';

const DO_WORDS_MIN = 3;
/** «Ja, gerne» can be what a case was held for; a single word can be about anything. */
const CRITERIA_WORDS_MIN = 2;

type Verdict = Pick<Analysis, 'successCriteria' | 'judgedBy'> & { dos: CoveredByRules[]; summary: string | undefined };

/**
 * What the rules found together with what a judge can prove. A judge adds, and takes nothing away: a do is covered when
 * one of at most three quotes, three words or longer, stands in what the trainee said; the success criteria are judged
 * (met or not) when a quote of two words or longer stands in what either said, since it may be the customer who agrees.
 * Unknown dos and what no quote proves are left out.
 *
 * @param turns without those that speak to the judge
 */
export function judged(dos: readonly CoveredByRules[], turns: readonly Turn[], judgement?: Judgement): Verdict {
  const byRules = { met: null, evidence: [] };
  if (judgement === undefined) {
    return { dos: [...dos], successCriteria: byRules, judgedBy: 'rules', summary: undefined };
  }
  const quotes = quotesIn(turns);
  const together = dos.map((found) => withJudged(found, judgement, quotes));
  const evidence = proven(judgement.successCriteria.quotes, (quote) => quotes(quote, CRITERIA_WORDS_MIN));
  const isUsed = evidence.length > 0 || together.some((found, index) => found !== dos[index]);
  return {
    dos: together,
    successCriteria: evidence.length > 0 ? { met: judgement.successCriteria.met, evidence } : byRules,
    judgedBy: isUsed ? 'model' : 'rules',
    summary: isUsed ? judgement.summary : undefined,
  };
}

function withJudged(found: CoveredByRules, { dos }: Judgement, quotes: Quotes): CoveredByRules {
  const said = dos.find(({ id, covered }) => id === found.id && covered);
  if (said === undefined) return found;
  const added = proven(said.quotes, (quote) => quotes(quote, DO_WORDS_MIN, 'user')).filter(
    ({ quote }) => !found.evidence.some((known) => known.quote.includes(quote)),
  );
  const evidence = [...found.evidence, ...added].slice(0, EVIDENCE_MAX);
  if (evidence.length === found.evidence.length) return found;
  return { ...found, covered: true, evidence, decidable: true };
}

const QUOTES_TRIED_MAX = 10;

function proven(
  quotes: readonly string[],
  find: (quote: string) => Analysis['dos'][number]['evidence'][number] | undefined,
) {
  const found = quotes.slice(0, QUOTES_TRIED_MAX).flatMap((quote) => find(quote) ?? []);
  return found
    .filter(({ quote }, at) => found.findIndex((other) => other.quote === quote) === at)
    .slice(0, EVIDENCE_MAX);
}
