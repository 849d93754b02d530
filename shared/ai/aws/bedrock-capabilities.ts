import type { ConverseStreamCommandInput, ToolConfiguration } from '@aws-sdk/client-bedrock-runtime';
import type { ModelRequest, OutputSchema } from '../language-model.ts';

/**
 * Capabilities in which models on Bedrock differ. The error response of a request shows what a model does not support.
 */
export type BedrockCapabilities = {
  /** How a response that matches a schema is requested. */
  format: 'tool' | 'text-format' | 'none';
  sendsTemperature: boolean;
};

/**
 * Until a model rejects tool calls, each request with a schema forces a tool call. Claude and Nova support tool calls.
 * A text format could exceed the timeout, because Bedrock compiles it to a grammar first.
 */
export const INITIAL_BEDROCK_CAPABILITIES: BedrockCapabilities = { format: 'tool', sendsTemperature: true };

export function outputFormatParameters(
  { name, schema }: OutputSchema,
  { format }: BedrockCapabilities,
): Partial<ConverseStreamCommandInput> {
  if (format === 'none') return {};
  if (format === 'tool') return { toolConfig: toolOf({ name, schema }) };
  const jsonSchema = { name, schema: JSON.stringify(schema) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

function toolOf({ name, schema: { type, properties, required } }: OutputSchema): ToolConfiguration {
  // Nova accepts only these properties at the outermost level of a tool's schema.
  const inputSchema = { json: { type, properties, required } };
  return {
    tools: [{ toolSpec: { name, description: 'Receives your answer.', inputSchema } }],
    toolChoice: { tool: { name } },
  };
}

const FORMAT_ERROR = /tool|output.?config|format|schema|structured/i;

/** Returns the capabilities for a retry. @returns undefined when other capabilities would not help */
export function bedrockFallbackFor(
  capabilities: BedrockCapabilities,
  { schema }: ModelRequest,
  error: unknown,
): BedrockCapabilities | undefined {
  if (schema === undefined || !(error instanceof Error) || error.name !== 'ValidationException') return undefined;
  if (capabilities.sendsTemperature && error.message.includes('temperature'))
    return { ...capabilities, sendsTemperature: false };
  if (capabilities.format === 'none' || !FORMAT_ERROR.test(error.message)) return undefined;
  return { ...capabilities, format: capabilities.format === 'tool' ? 'text-format' : 'none' };
}
