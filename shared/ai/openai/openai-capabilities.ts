import type { ModelRequest } from '../language-model.ts';

/** What servers disagree about; which one it is shows in how it refuses. */
export type OpenAiCapabilities = {
  tokensMember: 'max_tokens' | 'max_completion_tokens';
  asksForUsage: boolean;
  /** How an answer by a schema is asked for. */
  format: 'json_schema' | 'json_object' | 'none';
  takesTemperature: boolean;
};

export const INITIAL_OPENAI_CAPABILITIES: OpenAiCapabilities = {
  tokensMember: 'max_tokens',
  asksForUsage: true,
  format: 'json_schema',
  takesTemperature: true,
};

/** The members of a request's body that servers disagree about. */
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

/** The names of the format in the refusals of OpenAI, DeepSeek, vLLM, llama.cpp, Groq and LM Studio. */
const OF_THE_FORMAT = /response.?format|json.?(?:schema|object)|grammar|structured/i;

/**
 * OpenAI's newer models want another name for the limit, and a temperature of their own; some servers know no stream
 * options, and many no schemas: they are asked for any JSON object then, and after that for text.
 *
 * @returns undefined when the refusal was about something else
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
