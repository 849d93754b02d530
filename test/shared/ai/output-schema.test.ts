import { describe, expect, test } from 'vitest';
import type { OutputSchema } from '../../../shared/ai/language-model.ts';
import { createOpenAiModel } from '../../../shared/ai/openai/openai-model.ts';
import type { ModelAnswer, ModelCall } from '../../support/text-model-server.ts';
import { aRequest, bedrock, readModelResponse, useTextModelServer } from '../../support/text-models.ts';

const server = useTextModelServer();

const SCHEMA: OutputSchema = {
  name: 'verdict',
  schema: {
    type: 'object',
    properties: { met: { type: 'boolean' } },
    required: ['met'],
    additionalProperties: false,
  },
};
const asksBySchema = aRequest({ schema: SCHEMA });

const bodies = () => server().calls.map(({ body }) => body);
const refusal = (message: string): ModelAnswer => ({ status: 400, said: JSON.stringify({ message }) });
const validation = (message: string): ModelAnswer => ({
  status: 400,
  said: JSON.stringify({ __type: 'ValidationException', message }),
});

describe('the OpenAI adapter', () => {
  const make = () => createOpenAiModel({ baseUrl: server().baseUrl, modelId: 'm', apiKey: async () => undefined });
  const format = ({ response_format }: Record<string, unknown>) => (response_format as { type: string })?.type;
  /** Responds as a server that supports only these formats. Rejects other formats with the message `said`. */
  const knows =
    (said: string, ...formats: (string | undefined)[]) =>
    ({ body }: ModelCall): ModelAnswer =>
      formats.includes(format(body)) ? { deltas: ['{"met"', ':true}'] } : refusal(said);

  test('requests JSON that matches the schema, at temperature 0', async () => {
    server().answer({ deltas: ['{"met"', ':true}'] });
    expect((await readModelResponse(make(), asksBySchema)).text).toBe('{"met":true}');
    expect(bodies()).toMatchObject([
      {
        temperature: 0,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'verdict', strict: true, schema: SCHEMA.schema },
        },
      },
    ]);
  });

  test('requests no format and no temperature if there is no schema', async () => {
    server().answer({ deltas: ['Yes.'] });
    await readModelResponse(make());
    expect(bodies()[0]).not.toHaveProperty('temperature');
    expect(bodies()[0]).not.toHaveProperty('response_format');
  });

  test.each([
    'This response_format type is unavailable now',
    'This model does not support response format `json_schema`',
    'Failed to parse grammar',
    'structured outputs are not enabled',
  ])('after the error “%s”, requests JSON without a schema or else text, and keeps what works', async (said) => {
    server().answer(knows(said, 'json_object'));
    const model = make();
    expect((await readModelResponse(model, asksBySchema)).text).toBe('{"met":true}');
    expect((await readModelResponse(model, asksBySchema)).text).toBe('{"met":true}');
    expect(bodies().map(format)).toEqual(['json_schema', 'json_object', 'json_object']);
    server().answer(knows(said, undefined));
    expect((await readModelResponse(model, asksBySchema)).text).toBe('{"met":true}');
    expect((await readModelResponse(model, asksBySchema)).text).toBe('{"met":true}');
    expect(bodies().map(format).slice(3)).toEqual(['json_object', undefined, undefined]);
  });

  test('if the temperature is rejected, requests the schema without a temperature, even in later requests', async () => {
    server().answer(({ body }) =>
      'temperature' in body
        ? refusal("Unsupported value: 'temperature' does not support 0 with this model.")
        : { deltas: ['{"met":true}'] },
    );
    const model = make();
    await readModelResponse(model, asksBySchema);
    await readModelResponse(model, asksBySchema);
    expect(bodies().map((body) => ['temperature' in body, format(body)])).toEqual([
      [true, 'json_schema'],
      [false, 'json_schema'],
      [false, 'json_schema'],
    ]);
  });

  test('fails after six attempts if all fallbacks are rejected; the next request contains the schema again', async () => {
    server().answer(refusal('max_completion_tokens stream_options temperature response_format'));
    const model = make();
    expect((await readModelResponse(model, asksBySchema)).failure).toMatchObject({ billable: false });
    expect(server().calls).toHaveLength(6);
    await readModelResponse(model, asksBySchema);
    expect(format(bodies()[6] ?? {})).toBe('json_schema');
  });

  test('does not retry a request that is rejected for another reason', async () => {
    server().answer(refusal('The context is too long.'));
    expect((await readModelResponse(make(), asksBySchema)).failure).toMatchObject({ billable: false });
    expect(server().calls).toHaveLength(1);
  });
});

describe('the Bedrock adapter', () => {
  const make = () => bedrock('anthropic.model-v1:0');

  test('forces the model to use a tool, and returns the input of the tool as the response', async () => {
    server().answer({ deltas: ['{"met"', ':true}'] });
    const { text, parts } = await readModelResponse(make(), asksBySchema);
    expect(text).toBe('{"met":true}');
    expect(parts).toContainEqual({ finish: 'stop' });
    const { additionalProperties, ...known } = SCHEMA.schema;
    expect(bodies()).toMatchObject([
      {
        inferenceConfig: { maxTokens: 400, temperature: 0 },
        toolConfig: {
          tools: [{ toolSpec: { name: 'verdict', inputSchema: { json: known } } }],
          toolChoice: { tool: { name: 'verdict' } },
        },
      },
    ]);
    expect(JSON.stringify(bodies()[0])).not.toContain('additionalProperties');
    expect(bodies()[0]).not.toHaveProperty('outputConfig');
  });

  test('sends no tool and no temperature if there is no schema', async () => {
    server().answer({ deltas: ['Yes.'] });
    await readModelResponse(make());
    expect(bodies()[0]).not.toHaveProperty('toolConfig');
    expect(bodies()[0]?.inferenceConfig).toEqual({ maxTokens: 400 });
  });

  test('if tools are rejected, sends outputConfig; if outputConfig is also rejected, sends no schema', async () => {
    server().answer(({ body }) => {
      if ('toolConfig' in body) return validation("This model doesn't support tool use in streaming mode.");
      return { deltas: ['{"met":true}'] };
    });
    const model = make();
    expect((await readModelResponse(model, asksBySchema)).text).toBe('{"met":true}');
    const jsonSchema = { name: 'verdict', schema: JSON.stringify(SCHEMA.schema) };
    expect(bodies()[1]).toMatchObject({
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } },
    });
    server().answer(({ body }) =>
      'outputConfig' in body
        ? validation("This model doesn't support the outputConfig field.")
        : { deltas: ['{"met":true}'] },
    );
    expect((await readModelResponse(model, asksBySchema)).text).toBe('{"met":true}');
    expect((await readModelResponse(model, asksBySchema)).text).toBe('{"met":true}');
    expect(server().calls).toHaveLength(5);
    expect(bodies().some((body, index) => index > 1 && 'toolConfig' in body)).toBe(false);
    expect(bodies()[4]).not.toHaveProperty('outputConfig');
  });

  test('if the temperature is rejected, sends the tool without a temperature', async () => {
    server().answer(({ body }) =>
      JSON.stringify(body).includes('temperature')
        ? validation('`temperature` is deprecated for this model.')
        : { deltas: ['{"met":true}'] },
    );
    expect((await readModelResponse(make(), asksBySchema)).text).toBe('{"met":true}');
    expect(bodies()).toHaveLength(2);
    expect(bodies()[1]).toHaveProperty('toolConfig');
  });

  test('fails after four attempts if all fallbacks are rejected, and after one attempt if the model id is invalid', async () => {
    server().answer(validation('temperature, tool and outputConfig'));
    expect((await readModelResponse(make(), asksBySchema)).failure).toMatchObject({ billable: false });
    expect(server().calls).toHaveLength(4);
    server().answer(validation('The provided model identifier is invalid.'));
    expect((await readModelResponse(make(), asksBySchema)).failure?.message).toContain('ValidationException');
    expect(server().calls).toHaveLength(5);
  });
});
