import { generateText } from '../../ai/generate-text.ts';
import { type LanguageModel, ModelError } from '../../ai/language-model.ts';
import { MODEL_TIMEOUTS, type ModelTimeouts } from '../../ai/model-timeouts.ts';
import type { OrganizationRepository } from '../../organizations/organization.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { Judge, Judgement, ToJudge } from './judgement.ts';
import { judgementIn } from './model-judge-answer.ts';
import { judgeRequest } from './model-judge-prompt.ts';

/** A judgement has some 1 500 tokens; the rest is for models that think before. Every model of today may write so many. */
const OUTPUT_TOKENS_MAX = 4_096;
const TRIES = 2;

/** Nobody waits for a judge, and it has more to read than one who answers a visitor. */
export const JUDGE_PACE: ModelTimeouts = { ...MODEL_TIMEOUTS, firstTextMs: 45_000 };

type Ports = {
  model: LanguageModel;
  limiter: RateLimiter;
  organizations: Pick<OrganizationRepository, 'find'>;
  /** `wholeMs` holds for all tries together. */
  pace?: ModelTimeouts;
};

/**
 * A language model as a judge. It proposes only: a transcript can talk it into what the form of its answer allows, and
 * each quote has to be looked up. It answers undefined, within the pace and after at most two tries, whatever goes wrong:
 * its tokens of the day are used up, it fails, or what it says can't be read. What was said is never logged.
 */
export function modelJudge({ model, limiter, organizations, pace = JUDGE_PACE }: Ports): Judge {
  return async (asked) => {
    if (model.kind === 'builtin' || !asked.turns.some(isOfTrainee)) return undefined;
    const { orgId, log } = asked;
    const stop = new AbortController();
    const tooLong = new ModelError(`The judge did not end within ${pace.wholeMs} ms.`, { billable: true });
    const timer = setTimeout(() => stop.abort(tooLong), pace.wholeMs);
    try {
      const organization = await organizations.find(orgId);
      return await judged(asked, (request) =>
        generateText(
          { model, limiter, pace },
          { orgId, organization, log },
          { ...request, sourceTexts: [], model: undefined, outputTokensMax: OUTPUT_TOKENS_MAX, signal: stop.signal },
        ),
      );
    } catch (cause) {
      log.error('the judge failed: the rules judge this call alone', cause);
      log.recordMetric('JudgeFailed');
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
}

const isOfTrainee = ({ role, message }: ToJudge['turns'][number]): boolean => role === 'user' && message.trim() !== '';

type Ask = (request: ReturnType<typeof judgeRequest>) => Promise<string | undefined>;

async function judged(asked: ToJudge, ask: Ask): Promise<Judgement | undefined> {
  const { log, trainingCase } = asked;
  const ids = trainingCase.dos.map(({ id }) => id);
  for (let tried = 0; tried < TRIES; tried++) {
    const answer = await ask(judgeRequest(asked, tried > 0));
    if (answer === undefined) {
      log.warn("the organization's tokens for today do not suffice for a judge: the rules judge this call alone");
      log.recordMetric('JudgeBudgetUsedUp');
      return undefined;
    }
    const judgement = judgementIn(answer, ids);
    if (judgement !== undefined) {
      log.recordMetric('JudgeAnswered');
      return judgement;
    }
    log.recordMetric('JudgeUnreadable');
  }
  log.warn("the judge's answers could not be read: the rules judge this call alone");
  return undefined;
}
