import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import type { FinishReason } from '../../http/text-stream.ts';
import { type LanguageModel, ModelError, type ModelPart, type ModelRequest } from '../language-model.ts';
import {
  type BedrockCapabilities,
  bedrockFallbackFor,
  INITIAL_BEDROCK_CAPABILITIES,
  outputFormatParameters,
} from './bedrock-capabilities.ts';

type Events = AsyncIterable<ConverseStreamOutput> | Iterable<ConverseStreamOutput>;
type RequestHandler = NonNullable<BedrockRuntimeClientConfig['requestHandler']>;

/**
 * A model of Amazon Bedrock. A request has no timeout of its own, so the caller must abort `signal` after a time limit.
 *
 * @param modelId id of the model for requests that name no model
 * @param requestHandler a handler for HTTP/1.1, which is sufficient for a stream in one direction
 */
export function createBedrockModel(modelId: string, requestHandler: RequestHandler): LanguageModel {
  const client = new BedrockRuntimeClient({ maxAttempts: 2, requestHandler });
  // Changed only after a retry with other capabilities has succeeded. If the retry also fails, the first error may have
  // had another cause.
  let capabilities = INITIAL_BEDROCK_CAPABILITIES;
  const begin = async (request: ModelRequest): Promise<Events> => {
    for (let tried = capabilities; ; ) {
      try {
        const events = await converse(client, request, tried);
        capabilities = tried;
        return events;
      } catch (error) {
        const other = bedrockFallbackFor(tried, request, error);
        if (other === undefined) throw failureOf(error, !isRefusal(error));
        tried = other;
      }
    }
  };
  return {
    kind: 'model',
    async *stream(request) {
      const events = await begin({ ...request, modelId: request.modelId ?? modelId });
      let finished = false;
      try {
        for await (const event of events) {
          finished ||= event.messageStop !== undefined;
          yield* partsOf(event);
        }
      } catch (error) {
        throw failureOf(error, true);
      }
      if (!finished)
        throw new ModelError('The response of Amazon Bedrock ended before it was complete.', { billable: true });
    },
  };
}

async function converse(
  client: BedrockRuntimeClient,
  request: ModelRequest,
  capabilities: BedrockCapabilities,
): Promise<Events> {
  const { system, prompt, outputTokensMax, modelId, schema, signal } = request;
  const command = new ConverseStreamCommand({
    modelId,
    system: [{ text: system }],
    messages: [{ role: 'user', content: [{ text: prompt }] }],
    inferenceConfig: { maxTokens: outputTokensMax, ...(schema && capabilities.sendsTemperature && { temperature: 0 }) },
    ...(schema && outputFormatParameters(schema, capabilities)),
  });
  const { stream } = await client.send(command, { abortSignal: signal });
  return stream ?? [];
}

function* partsOf({ contentBlockDelta, messageStop, metadata }: ConverseStreamOutput): Generator<ModelPart> {
  const { text, toolUse, reasoningContent } = contentBlockDelta?.delta ?? {};
  if (text) yield { text };
  // At most one tool is defined; its input is the response.
  if (toolUse?.input) yield { text: toolUse.input };
  if (reasoningContent?.text) yield { reasoningBytes: Buffer.byteLength(reasoningContent.text) };
  if (messageStop?.stopReason) yield { finish: finishOf(messageStop.stopReason) };
  const { inputTokens, outputTokens } = metadata?.usage ?? {};
  if (inputTokens !== undefined && outputTokens !== undefined) yield { usage: { inputTokens, outputTokens } };
}

function finishOf(reason: string): FinishReason {
  if (reason === 'end_turn' || reason === 'stop_sequence' || reason === 'tool_use') return 'stop';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return reason === 'content_filtered' || reason === 'guardrail_intervened' ? 'content-filter' : 'other';
}

/** Statuses of errors that occur while the model processes the request: timeout (408) and model error (424). */
const PROCESSED_STATUSES: ReadonlySet<number> = new Set([408, 424]);

/**
 * Whether the request failed before the model processed it: the connection was refused, or the response has an error
 * status other than `PROCESSED_STATUSES`.
 */
const isRefusal = (error: unknown): boolean =>
  (statusOf(error) >= 400 && !PROCESSED_STATUSES.has(statusOf(error))) || codeOf(error) === 'ECONNREFUSED';

const statusOf = (error: unknown): number =>
  (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode ?? 0;
const codeOf = (error: unknown) => (error as { code?: unknown } | undefined)?.code;

/**
 * Returns a `ModelError` unchanged. For another error, the result contains only the error's name and status, because
 * the error's message may repeat the prompt.
 */
function failureOf(error: unknown, billable: boolean): ModelError {
  if (error instanceof ModelError) return error;
  const name = error instanceof Error ? error.name : 'unknown error';
  return new ModelError(`Amazon Bedrock failed: ${name} (status ${statusOf(error) || 'unknown'}).`, { billable });
}
