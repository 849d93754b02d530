import type { ModelRequest } from '../language-model.ts';

/** How OpenAI-compatible servers differ. The error response of a request shows what a server does not support. */
export type OpenAiCapabilities = {
  tokensMember: 'max_tokens' | 'max_completion_tokens';
  asksForUsage: boolean;
  /** How a response that matches a schema is requested. */
  format: 'json_schema' | 'json_object' | 'none';
  takesTemperature: boolean;
};

export const INITIAL_OPENAI_CAPABILITIES: OpenAiCapabilities = {
  tokensMember: 'max_tokens',
  asksForUsage: true,
  format: 'json_schema',
  takesTemperature: true,
};

/** The request parameters that depend on the capabilities. */
export function capabilityParameters({ schema, outputTokensMax }: ModelRequest, dialect: OpenAiCapabilities) {
  const { tokensMember, asksForUsage, format, takesTemperature } = dialect;
  return {
    [tokensMember]: outputTokensMax,
    ...(asksForUsage && { stream_options: { include_usage: true } }),
    ...(schema && takesTemperature && { temperature: 0 }),
    ...(schema && format === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(schema &&
      format === 'json_schema' && {
        response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
      }),
  };
}

/** How error messages of OpenAI, DeepSeek, vLLM, llama.cpp, Groq and LM Studio name the response format. */
const OF_THE_FORMAT = /response.?format|json.?(?:schema|object)|grammar|structured/i;

/**
 * The capabilities to retry with. Newer OpenAI models use another name for the token limit and reject a temperature; some
 * servers don't support stream options, many no schemas: then request any JSON object, and after that plain text.
 *
 * @returns undefined when the error has another reason
 */
export function openAiFallbackFor(
  dialect: OpenAiCapabilities,
  { schema }: ModelRequest,
  status: number,
  said: string,
): OpenAiCapabilities | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (dialect.tokensMember === 'max_tokens' && said.includes('max_completion_tokens')) {
    return { ...dialect, tokensMember: 'max_completion_tokens' };
  }
  if (dialect.asksForUsage && said.includes('stream_options')) return { ...dialect, asksForUsage: false };
  if (schema === undefined) return undefined;
  if (dialect.takesTemperature && said.includes('temperature')) return { ...dialect, takesTemperature: false };
  if (dialect.format === 'none' || !OF_THE_FORMAT.test(said)) return undefined;
  return { ...dialect, format: dialect.format === 'json_schema' ? 'json_object' : 'none' };
}
