import { Problem } from '../http/problem.ts';
import type { FinishReason, StreamReply, TextDeltas } from '../http/stack/stream-format.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Log } from '../platform/log.ts';
import { type Pace, paced } from './paced.ts';
import { systemPrompt } from './system-prompt.ts';
import { ModelFailure, type TextModel, type Usage } from './text-model.ts';
import { type Payers, reserveTokens } from './token-budget.ts';
import { inputTokensAtMost, limitedOutput } from './token-estimate.ts';

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
    return yield* textOf(parts, bill);
  } catch (cause) {
    throw asked.signal.aborted ? cause : failureOf(cause, bill, log);
  } finally {
    log.count('AiTokens', bill.tokens());
    await reservation.settle(bill.tokens());
  }
}

type Bill = ReturnType<typeof billOf>;

/** What a call costs: what the provider counted or, where it told nothing, as much as it can have been. */
function billOf(inputTokens: number, outputTokensMax: number) {
  let usage: Usage | undefined;
  let hiddenBytes = 0;
  let free = false;
  const output = limitedOutput(outputTokensMax);
  return {
    output,
    counted: (counted: Usage) => {
      usage = counted;
    },
    hidden: (bytes: number) => {
      hiddenBytes += bytes;
    },
    nothing: () => {
      free = true;
    },
    tokens: () => {
      if (free) return 0;
      if (usage !== undefined) return usage.inputTokens + usage.outputTokens;
      return inputTokens + Math.min(outputTokensMax, output.bytes() + hiddenBytes);
    },
  };
}

async function* textOf(parts: ReturnType<typeof paced>, { output, counted, hidden }: Bill): TextDeltas {
  let finish: FinishReason = 'stop';
  for await (const part of parts) {
    if ('usage' in part) counted(part.usage);
    else if ('finish' in part) finish = part.finish;
    else if ('hiddenBytes' in part) hidden(part.hiddenBytes);
    else {
      const text = output.take(part.text);
      if (text !== '') yield text;
      if (output.cut()) return 'length';
    }
  }
  const rest = output.rest();
  if (rest !== '') yield rest;
  if (output.bytes() === 0) throw new ModelFailure('The model gave no text at all.', { billable: true });
  return finish;
}

/** Before the first delta a failure has a status of its own, afterwards it breaks the answer off. */
function failureOf(cause: unknown, bill: Bill, log: Log): unknown {
  if (bill.output.bytes() > 0) {
    log.error('the model failed after its first token', cause);
    log.count('AiAnswerBrokenOff');
    return cause;
  }
  if (!(cause instanceof ModelFailure && cause.billable)) bill.nothing();
  if (!(cause instanceof ModelFailure)) return cause;
  // Interface 7: the one outcome whose error has a message alone.
  const extension = { error: { code: undefined } };
  return new Problem(502, 'The model did not answer; try again shortly.', { extension, cause });
}
