import type { ConverseStreamCommandInput, ToolConfiguration } from '@aws-sdk/client-bedrock-runtime';
import type { ModelRequest, OutputSchema } from '../language-model.ts';

/** What the models of Bedrock disagree about; which one it is shows in how it refuses. */
export type BedrockCapabilities = {
  /** How an answer by a schema is asked for. */
  format: 'tool' | 'text-format' | 'none';
  takesTemperature: boolean;
};

/**
 * A tool that the model must call comes first: Claude and Nova know it, and no grammar has to be compiled for it, which
 * can take longer than an answer may.
 */
export const INITIAL_BEDROCK_CAPABILITIES: BedrockCapabilities = { format: 'tool', takesTemperature: true };

/** The members of a request that ask for an answer by a schema. */
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
  // Nova takes no other members of the outermost object.
  const inputSchema = { json: { type, properties, required } };
  return {
    tools: [{ toolSpec: { name, description: 'Takes your answer.', inputSchema } }],
    toolChoice: { tool: { name } },
  };
}

const OF_THE_FORMAT = /tool|output.?config|format|schema|structured/i;

/** @returns undefined when the refusal was about something else */
export function bedrockFallbackFor(
  way: BedrockCapabilities,
  { schema }: ModelRequest,
  error: unknown,
): BedrockCapabilities | undefined {
  if (schema === undefined || !(error instanceof Error) || error.name !== 'ValidationException') return undefined;
  if (way.takesTemperature && error.message.includes('temperature')) return { ...way, takesTemperature: false };
  if (way.format === 'none' || !OF_THE_FORMAT.test(error.message)) return undefined;
  return { ...way, format: way.format === 'tool' ? 'text-format' : 'none' };
}
