import type { Analysis } from '../call.ts';
import { type DoCoverage, EVIDENCE_MAX, evidenceOf } from './coverage.ts';
import { isOfTrainee, type Sentence } from './sentences.ts';

/**
 * What a language model concludes from a call. The model cites sentences by their numbers (`SplitTranscript.citable`).
 * If no sentence has a cited number, the number is ignored.
 */
export type LlmVerdict = {
  summary: string | undefined;
  dos: { id: string; covered: boolean; sentences: number[] }[];
  successCriteria: { met: boolean; sentences: number[] };
};

const DO_WORDS_MIN = 3;
/**
 * A sentence with fewer words is no evidence for the success criteria. The minimum is lower than for a do, because a
 * customer's «Ja, gerne» can meet the success criteria.
 */
const CRITERIA_WORDS_MIN = 2;
/**
 * If a verdict cites the same words for more claims than this, the words prove none of them. Probably the words address
 * the judge, or a manipulated model cites them for everything.
 */
const CLAIMS_PER_WORDING_MAX = 2;

/** The accepted evidence for the claims of a verdict. `dos` maps the id of a do to its evidence. */
type EvidenceByClaim = { dos: ReadonlyMap<string, readonly Sentence[]>; successCriteria: readonly Sentence[] };

/**
 * Selects, for each claim of the verdict, the cited sentences that are accepted as evidence. The judge asks a model to
 * confirm only these sentences. `mergeLlmVerdict` applies the same rules again to the confirmed verdict.
 *
 * @param sentences the numbered sentences of the call, in the order of their numbers
 */
export function admissibleEvidence(
  { dos, successCriteria }: LlmVerdict,
  sentences: readonly Sentence[],
): EvidenceByClaim {
  const claimed = [...dos.filter(({ covered }) => covered), ...(successCriteria.met ? [successCriteria] : [])];
  const cited = (numbers: readonly number[]) => [...new Set(numbers)].flatMap((number) => sentences[number - 1] ?? []);
  const claimCounts = new Map<string, number>();
  for (const claim of claimed) {
    for (const wording of new Set(cited(claim.sentences).map((sentence) => sentence.wording)))
      claimCounts.set(wording, (claimCounts.get(wording) ?? 0) + 1);
  }
  const admissible = (numbers: readonly number[], wordsMin: number) =>
    cited(numbers)
      .filter(
        ({ wording, wordCount }) => wordCount >= wordsMin && (claimCounts.get(wording) ?? 0) <= CLAIMS_PER_WORDING_MAX,
      )
      .slice(0, EVIDENCE_MAX);
  const claims = dos.flatMap(({ id, covered, sentences: numbers }) => {
    const evidence = covered ? admissible(numbers, DO_WORDS_MIN).filter(isOfTrainee) : [];
    return evidence.length > 0 ? [[id, evidence] as const] : [];
  });
  return {
    dos: new Map(claims),
    successCriteria: successCriteria.met ? admissible(successCriteria.sentences, CRITERIA_WORDS_MIN) : [],
  };
}

type Merged = Pick<Analysis, 'dos' | 'successCriteria' | 'judgedBy'>;

/**
 * Combines the mentions of the dos with a model's verdict. With a verdict, only admissible evidence covers a do or
 * meets the success criteria. Mentions stay in `evidence`.
 */
export function mergeLlmVerdict(
  mentioned: readonly DoCoverage[],
  sentences: readonly Sentence[],
  verdict?: LlmVerdict,
): Merged {
  if (verdict === undefined)
    return { dos: [...mentioned], successCriteria: { met: null, evidence: [] }, judgedBy: 'rules' };
  const accepted = admissibleEvidence(verdict, sentences);
  const dos = mentioned.map((mention) => {
    const proofs = (accepted.dos.get(mention.id) ?? []).map(evidenceOf);
    const added = proofs.filter(({ quote }) => mention.evidence.every((known) => known.quote !== quote));
    return { ...mention, covered: proofs.length > 0, evidence: [...mention.evidence, ...added] };
  });
  const evidence = accepted.successCriteria.map(evidenceOf);
  return { dos, successCriteria: { met: evidence.length > 0, evidence }, judgedBy: 'model' };
}
