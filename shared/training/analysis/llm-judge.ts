import { generateText } from '../../ai/generate-text.ts';
import { type LanguageModel, ModelError } from '../../ai/language-model.ts';
import { MODEL_TIMEOUTS, type ModelTimeouts } from '../../ai/model-timeouts.ts';
import type { OrganizationRepository } from '../../organizations/ports.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { LlmJudge, LlmJudgeInput } from '../ports.ts';
import { confirmationPrompt, type LlmPrompt, verdictPrompt } from './llm-prompts.ts';
import { parseConfirmation, parseVerdict } from './llm-responses.ts';
import { admissibleEvidence, type LlmVerdict } from './llm-verdict.ts';
import { isOfTrainee, type Sentence } from './sentences.ts';

/** A response has a few hundred tokens. The limit is higher, because some models write their reasoning first. */
const OUTPUT_TOKENS_MAX = 4_096;
const ATTEMPTS = 2;

/**
 * Time limits of the judge. `firstTextMs` is longer than for an AI stream to a visitor, because the model first reads a
 * whole call, and no visitor waits.
 */
const JUDGE_TIMEOUTS: ModelTimeouts = { ...MODEL_TIMEOUTS, firstTextMs: 45_000 };

/** @property timeouts overrides of `JUDGE_TIMEOUTS`; `wholeMs` limits all requests together */
type Ports = {
  model: LanguageModel;
  limiter: RateLimiter;
  organizations: Pick<OrganizationRepository, 'find'>;
  timeouts?: Partial<ModelTimeouts> | undefined;
};

class BudgetUsedUpError extends Error {}

/**
 * Creates a judge that asks a language model in two steps. First, the model cites numbered sentences as evidence for
 * the dos and the success criteria. Then the model confirms each claim in a request of its own. This request contains
 * only the claim's text, the cited sentences, and the sentences of the other speaker next to them. Prompt injections
 * elsewhere in the call therefore do not reach this request. The judge never logs what was said.
 */
export function createLlmJudge({ model, limiter, organizations, timeouts: given }: Ports): LlmJudge {
  const timeouts = { ...JUDGE_TIMEOUTS, ...given };
  return async (input) => {
    if (model.kind === 'builtin') return undefined;
    const { orgId, callId, sentences, log } = input;
    if (!sentences.some(isOfTrainee)) return undefined;
    const stop = new AbortController();
    const timeout = new ModelError(`The judge did not end within ${timeouts.wholeMs} ms.`, { billable: true });
    const timer = setTimeout(() => stop.abort(timeout), timeouts.wholeMs);
    try {
      const organization = await organizations.find(orgId);
      const ask = async (prompt: LlmPrompt) => {
        const response = await generateText(
          { model, limiter, timeouts },
          { orgId, tokensPerDay: organization?.limits.aiTokensPerDay, log },
          { ...prompt, sourceTexts: [], modelId: undefined, outputTokensMax: OUTPUT_TOKENS_MAX, signal: stop.signal },
        );
        if (response === undefined) throw new BudgetUsedUpError();
        return response;
      };
      return await requestVerdict(input, ask);
    } catch (cause) {
      if (cause instanceof BudgetUsedUpError) {
        log.warn("The organization's daily token budget is used up. The call is scored without a model.", {
          orgId,
          callId,
        });
        log.recordMetric('JudgeBudgetUsedUp');
      } else {
        log.error('The judge failed. The call is scored without a model.', cause, { orgId, callId });
        log.recordMetric('JudgeFailed');
      }
      return undefined;
    } finally {
      // Ends the other confirmations if one of them has failed.
      stop.abort(timeout);
      clearTimeout(timer);
    }
  };
}

type Ask = (prompt: LlmPrompt) => Promise<string>;

async function requestVerdict(
  { orgId, callId, log, trainingCase, sentences }: LlmJudgeInput,
  ask: Ask,
): Promise<LlmVerdict | undefined> {
  const ids = trainingCase.dos.map(({ id }) => id);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const verdict = parseVerdict(await ask(verdictPrompt(trainingCase, sentences, attempt > 0)), ids);
    if (verdict !== undefined) {
      const confirmed = await confirmClaims(verdict, trainingCase, sentences, ask);
      log.recordMetric('JudgeAnswered');
      return confirmed;
    }
    log.recordMetric('JudgeUnreadable');
  }
  log.warn("The judge's responses could not be read. The call is scored without a model.", { orgId, callId });
  return undefined;
}

/**
 * Keeps only the claims that the model confirms, with the confirmed sentences. Each claim is confirmed in a request of
 * its own.
 */
async function confirmClaims(
  verdict: LlmVerdict,
  { dos, successCriteria }: LlmJudgeInput['trainingCase'],
  sentences: readonly Sentence[],
  ask: Ask,
): Promise<LlmVerdict> {
  const accepted = admissibleEvidence(verdict, sentences);
  const isConfirmed = async (claim: string, cited: readonly Sentence[] = []) =>
    cited.length > 0 && parseConfirmation(await ask(confirmationPrompt(claim, cited, sentences)));
  const [met, ...covered] = await Promise.all([
    isConfirmed(successCriteria, accepted.successCriteria),
    ...dos.map(({ id, label }) => isConfirmed(label, accepted.dos.get(id))),
  ]);
  const confirmedIds = new Set(dos.filter((_, at) => covered[at]).map(({ id }) => id));
  const numbersOf = (cited: readonly Sentence[] = []) => cited.map((sentence) => sentences.indexOf(sentence) + 1);
  return {
    summary: verdict.summary,
    dos: verdict.dos.map(({ id }) => ({
      id,
      covered: confirmedIds.has(id),
      sentences: confirmedIds.has(id) ? numbersOf(accepted.dos.get(id)) : [],
    })),
    successCriteria: met ? { met, sentences: numbersOf(accepted.successCriteria) } : { met: false, sentences: [] },
  };
}
