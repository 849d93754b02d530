import type { ModelRequest } from '../language-model.ts';

/**
 * Capabilities in which OpenAI-compatible servers differ. The error response of a request shows what a server does not
 * support.
 */
export type OpenAiCapabilities = {
  tokensMember: 'max_tokens' | 'max_completion_tokens';
  requestsUsage: boolean;
  /** How a response that matches a schema is requested. */
  format: 'json_schema' | 'json_object' | 'none';
  sendsTemperature: boolean;
};

export const INITIAL_OPENAI_CAPABILITIES: OpenAiCapabilities = {
  tokensMember: 'max_tokens',
  requestsUsage: true,
  format: 'json_schema',
  sendsTemperature: true,
};

export function capabilityParameters({ schema, outputTokensMax }: ModelRequest, capabilities: OpenAiCapabilities) {
  const { tokensMember, requestsUsage, format, sendsTemperature } = capabilities;
  return {
    [tokensMember]: outputTokensMax,
    ...(requestsUsage && { stream_options: { include_usage: true } }),
    ...(schema && sendsTemperature && { temperature: 0 }),
    ...(schema && format === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(schema &&
      format === 'json_schema' && {
        response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
      }),
  };
}

/** How error messages of OpenAI, DeepSeek, vLLM, llama.cpp, Groq and LM Studio name the response format. */
const FORMAT_ERROR = /response.?format|json.?(?:schema|object)|grammar|structured/i;

/**
 * Returns the capabilities for a retry. Newer OpenAI models use another name for the token limit and reject a
 * temperature. Some servers don't support stream options, and many don't support schemas. If a server rejects the
 * schema, the retry requests any JSON object. If the server also rejects that, the next retry requests plain text.
 *
 * @returns undefined when other capabilities would not help
 */
export function openAiFallbackFor(
  capabilities: OpenAiCapabilities,
  { schema }: ModelRequest,
  status: number,
  message: string,
): OpenAiCapabilities | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (capabilities.tokensMember === 'max_tokens' && message.includes('max_completion_tokens')) {
    return { ...capabilities, tokensMember: 'max_completion_tokens' };
  }
  if (capabilities.requestsUsage && message.includes('stream_options'))
    return { ...capabilities, requestsUsage: false };
  if (schema === undefined) return undefined;
  if (capabilities.sendsTemperature && message.includes('temperature'))
    return { ...capabilities, sendsTemperature: false };
  if (capabilities.format === 'none' || !FORMAT_ERROR.test(message)) return undefined;
  return { ...capabilities, format: capabilities.format === 'json_schema' ? 'json_object' : 'none' };
}
