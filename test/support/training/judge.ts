import { randomUUID } from 'node:crypto';
import type { LanguageModel } from '../../../shared/ai/language-model.ts';
import type { ModelTimeouts } from '../../../shared/ai/model-timeouts.ts';
import { createOpenAiModel } from '../../../shared/ai/openai/openai-model.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import type { RateLimiter } from '../../../shared/platform/rate-limiter.ts';
import { languageOfCall } from '../../../shared/training/analysis/language.ts';
import { createLlmJudge } from '../../../shared/training/analysis/llm-judge.ts';
import { type Sentence, splitSentences } from '../../../shared/training/analysis/sentences.ts';
import type { TranscriptTurn } from '../../../shared/training/call.ts';
import type { TrainingCase } from '../../../shared/training/training-case.ts';
import { memoryLimiter } from '../memory-limiter.ts';
import { useTextModelServer } from '../text-models.ts';
import { aTrainingCase } from './calls.ts';

/** Turns of a call, one for each message. The customer begins. */
export const turnsOf = (...messages: string[]): TranscriptTurn[] =>
  messages.map((message, index) => ({
    role: index % 2 === 0 ? ('agent' as const) : ('user' as const),
    message,
    timeInCallSecs: 5 * index,
  }));

/** `sentences`: by default, all sentences of the turns. */
type Said = { turns?: readonly TranscriptTurn[]; trainingCase?: TrainingCase; sentences?: readonly Sentence[] };

const TURNS = turnsOf(
  'Bäckerei Sommer, guten Tag.',
  'Guten Tag, Probst von Musterdach. Was ist Ihnen bei dem neuen Dach am wichtigsten?',
  'Es muss vor dem Winter dicht sein.',
  'Gut, dann machen wir gleich den Dienstag um zehn fest.',
);
const CASE = aTrainingCase({
  dos: [
    { id: 'need', label: 'Asks what the customer needs' },
    { id: 'meeting', label: 'Proposes a meeting' },
  ],
});

const CALL_ID = randomUUID();

/** For each do of `CASE`: the numbers of the sentences that show it. */
const CITED = { need: [3], meeting: [5] };

/** A model's verdict on the call `TURNS`, as an object. */
export const aVerdict = (said: Record<string, unknown> = {}) => ({
  summary: 'Fragt nach dem Bedarf und macht einen Termin.',
  dos: [
    { id: 'need', sentences: CITED.need, covered: true },
    { id: 'meeting', sentences: CITED.meeting, covered: true },
  ],
  successCriteria: { sentences: CITED.meeting, met: true },
  ...said,
});

type Options = {
  model?: LanguageModel;
  limiter?: RateLimiter;
  timeouts?: Partial<ModelTimeouts>;
  aiTokensPerDay?: number;
  find?: () => Promise<Organization | undefined>;
};

/** Whether a request asks a model to confirm one claim. Other requests ask for a verdict on the call. */
export const isConfirmation = (body: object): boolean => JSON.stringify(body).includes('check a quote');

/** Creates judges that use a model server on this machine. Everything else is in memory. */
export function useJudge() {
  const server = useTextModelServer();
  const setUp = ({ model, limiter, timeouts, aiTokensPerDay, find }: Options = {}) => {
    const organization = Organization.parse({
      id: randomUUID(),
      name: 'Northlight',
      ...(aiTokensPerDay !== undefined && { limits: { aiTokensPerDay } }),
    });
    const limits = memoryLimiter();
    const lines: string[] = [];
    const log = createJsonLogger({ operation: 'test' }, (line) => void lines.push(line));
    const judge = createLlmJudge({
      model: model ?? createOpenAiModel({ baseUrl: server().baseUrl, modelId: 'm', apiKey: async () => undefined }),
      limiter: limiter ?? limits.limiter,
      organizations: { find: find ?? (async (id) => (id === organization.id ? organization : undefined)) },
      timeouts,
    });
    return {
      judge: ({
        turns = TURNS,
        trainingCase = CASE,
        sentences = splitSentences(turns, languageOfCall(turns)),
      }: Said = {}) => judge({ orgId: organization.id, callId: CALL_ID, trainingCase, sentences, log }),
      taken: () => limits.taken('ai-tokens-organization'),
      lines,
      counted: (metric: string) =>
        lines.map((line) => JSON.parse(line)[metric] ?? 0).reduce((sum: number, value: number) => sum + value, 0),
    };
  };
  /** Sets the next verdicts of the server, in order. The last verdict is repeated. The server confirms every claim. */
  const say = (...responses: (string | object)[]) => {
    let turn = 0;
    server().answer(({ body }) => {
      if (isConfirmation(body)) return { deltas: ['{"shown": true}'] };
      const response = responses[Math.min(turn++, responses.length - 1)] ?? '';
      return { deltas: [typeof response === 'string' ? response : JSON.stringify(response)] };
    });
  };
  return { server, setUp, say };
}

export const JUDGED = { turns: TURNS, trainingCase: CASE };
