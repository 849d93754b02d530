import { Problem } from '../http/problem.ts';
import type { StreamReply, TextDeltas } from '../http/stack/stream-format.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Log } from '../platform/log.ts';
import { type Bill, billOf } from './bill.ts';
import { billedText } from './billed-text.ts';
import { type Pace, paced } from './paced.ts';
import { systemPrompt } from './system-prompt.ts';
import { ModelFailure, type TextModel } from './text-model.ts';
import { type Payers, reserveTokens } from './token-budget.ts';
import { inputTokensAtMost } from './token-estimate.ts';

export type AnswerPorts = { model: TextModel; limiter: Limiter; pace: Pace };

export type Asked = Payers & {
  prompt: string;
  /** Aborted when nobody reads any more. */
  signal: AbortSignal;
  log: Log;
};

/** The model's answer to a visitor, as it comes. Its tokens are reserved before the call and settled however it ends. */
export const answerPrompt = (ports: AnswerPorts, asked: Asked): StreamReply => ({
  deltas: deltasOf(ports, asked),
  metadata: { writer: ports.model.writer },
});

/** @throws Problem 429, 503, 502 before the first delta; ModelFailure after it */
async function* deltasOf({ model, limiter, pace }: AnswerPorts, asked: Asked): TextDeltas {
  const { block, log } = asked;
  const call = {
    system: systemPrompt(block.systemPrompt),
    prompt: asked.prompt,
    texts: block.texts,
    outputTokensMax: block.outputTokensMax,
    model: block.model,
  };
  const inputTokens = inputTokensAtMost(call.system, call.prompt);
  const reservation = await reserveTokens(limiter, asked, inputTokens + block.outputTokensMax, log);
  const bill = billOf(inputTokens, block.outputTokensMax);
  try {
    const parts = paced((signal) => model.stream({ ...call, signal }), pace, asked.signal);
    return yield* billedText(parts, bill);
  } catch (cause) {
    throw asked.signal.aborted ? cause : failureOf(cause, bill, log);
  } finally {
    log.count('AiTokens', bill.tokens());
    log.info('a model was used', { orgId: asked.funnel.orgId, funnelId: asked.funnel.id, tokens: bill.tokens() });
    await reservation.settle(bill.tokens());
  }
}

/** Before the first delta a failure has a status of its own, afterwards it breaks the answer off. */
function failureOf(cause: unknown, bill: Bill, log: Log): unknown {
  if (bill.output.bytes() > 0) {
    log.error('the model failed after its first token', cause);
    log.count('AiAnswerBrokenOff');
    return cause;
  }
  bill.failed(cause);
  if (!(cause instanceof ModelFailure)) return cause;
  // Interface 7: the one outcome whose error has a message alone.
  const extension = { error: { code: undefined } };
  return new Problem(502, 'The AI model failed to respond. Try again shortly.', { extension, cause });
}
