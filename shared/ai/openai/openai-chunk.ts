import type { EventSourceMessage } from 'eventsource-parser';
import * as z from 'zod/mini';
import type { FinishReason } from '../../http/text-stream.ts';
import { ModelError, type ModelPart } from '../language-model.ts';

const text = z.catch(z.nullish(z.string()), undefined);
const count = z.int().check(z.minimum(0));

/** Different servers omit different properties of a chunk. */
const Chunk = z.object({
  choices: z.nullish(
    z.array(
      z.object({
        // DeepSeek, vLLM and Ollama name reasoning differently.
        delta: z.nullish(z.object({ content: text, refusal: text, reasoning_content: text, reasoning: text })),
        finish_reason: text,
      }),
    ),
  ),
  usage: z.catch(z.nullish(z.object({ prompt_tokens: count, completion_tokens: count })), undefined),
  error: z.optional(z.unknown()),
  object: text,
});

export const DONE = '[DONE]';

/**
 * Parses one event of a chat completion's stream.
 *
 * @throws ModelError for an error event and for a malformed chunk
 */
export function partsOf({ event, data }: EventSourceMessage): ModelPart[] {
  const { choices, usage, error, object } = parsed(data);
  if ((error !== undefined && error !== null) || object === 'error' || event === 'error') {
    throw broken('The model reported an error in its stream.');
  }
  const choice = choices?.[0];
  const parts: ModelPart[] = [];
  const thought = (choice?.delta?.reasoning_content ?? '') + (choice?.delta?.reasoning ?? '');
  if (thought !== '') parts.push({ reasoningBytes: Buffer.byteLength(thought) });
  const text = (choice?.delta?.content ?? '') + (choice?.delta?.refusal ?? '');
  if (text !== '') parts.push({ text });
  if (choice?.finish_reason) parts.push({ finish: finishOf(choice.finish_reason) });
  if (usage) parts.push({ usage: { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens } });
  return parts;
}

const broken = (sentence: string) => new ModelError(sentence, { billable: true });

function parsed(data: string): z.infer<typeof Chunk> {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    throw broken('The model sent an event that is not JSON.');
  }
  const chunk = Chunk.safeParse(json);
  if (!chunk.success) throw broken('The model sent an event that is not a chat completion chunk.');
  return chunk.data;
}

function finishOf(reason: string): FinishReason {
  if (reason === 'stop' || reason === 'length') return reason;
  return reason === 'content_filter' ? 'content-filter' : 'other';
}
