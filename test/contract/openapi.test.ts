import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { operations } from '../../functions/declarations.ts';
import { declareOperation } from '../../functions/declare-operation.ts';
import { funnelDefinitionSchema } from '../../infra/cli/funnels/definition/funnel-definition.ts';
import { buildOpenApiDocument } from '../../infra/openapi/document.ts';
import { HTTP_ERROR_CODES, HttpError, type HttpErrorStatus } from '../../shared/http/errors.ts';
import { errorStatusesOf, successStatus } from '../../shared/http/operation.ts';
import { withDocs } from '../../shared/http/schema-docs.ts';
import { ADDRESS_PARTS } from '../../shared/leads/fields/structured.ts';
import { EVENT_TYPES } from '../../shared/webhooks/webhook-endpoint.ts';
import { list } from '../support/sample-operations.ts';

type Response = { headers?: Record<string, unknown>; content?: unknown };
type Described = {
  description: string;
  security: Record<string, unknown>[];
  parameters?: { name: string }[];
  responses: Record<string, Response>;
  requestBody?: object;
};
type Document = {
  paths: Record<string, Record<string, Described>>;
  components: {
    schemas: Record<string, Record<string, unknown>>;
    responses: Record<string, Response>;
    headers: Record<string, object>;
    securitySchemes: Record<string, unknown>;
  };
};

type Json = Record<string, unknown>;

const document = buildOpenApiDocument(operations) as Document;

/** Yields every object in the document except examples, with its path. */
function* objectsIn(value: unknown, path = '#'): Generator<[path: string, object: Json]> {
  if (typeof value !== 'object' || value === null || /\/examples?$/.test(path)) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${key}`);
}

/** Returns a response of an operation. If the response is a reference, returns the shared response. */
function resolved({ components }: Document, response: Response & { $ref?: string }): Response {
  return response.$ref === undefined ? response : (components.responses[response.$ref.split('/').at(-1) ?? ''] ?? {});
}

/** Returns the schemas of the JSON bodies of an operation's request and responses. */
const jsonSchemas = ({ requestBody, responses }: Described): Json[] =>
  [requestBody, ...Object.values(responses)].flatMap((part) => {
    const content = (part as { content?: Record<string, { schema: Json }> } | undefined)?.content;
    return content?.['application/json'] === undefined ? [] : [content['application/json'].schema];
  });

test('an independent validator accepts the generated document as OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document));
  expect(result).toMatchObject({ valid: true });
});

test('the OpenAPI document and the JSON Schema of funnel files list the parts of a postal address', () => {
  for (const text of [JSON.stringify(document), JSON.stringify(funnelDefinitionSchema())])
    expect(text).toContain(ADDRESS_PARTS.join(', '));
});

test('every object schema has properties or declares additional properties', () => {
  const objects = [...objectsIn(document)].filter(([, { type }]) => [type].flat().includes('object'));
  const closed = objects.filter(
    ([, schema]) => schema.properties === undefined && schema.additionalProperties === undefined,
  );
  expect(closed.map(([path]) => path)).toEqual([]);
  const { LeadSubmission, AnalyticsEvent } = document.components.schemas;
  for (const [schema, name] of [
    [LeadSubmission, 'data'],
    [LeadSubmission, 'webcomponent_args'],
    [AnalyticsEvent, 'payload'],
  ] as const)
    expect(JSON.stringify((schema as { properties: Json }).properties[name])).toContain('"additionalProperties":true');
});

test('schemas of resources and of object bodies have names, so that generated clients have types for them', () => {
  const { paths, components } = document;
  const resources = ['TrainingCall', 'TrainingCase', 'LeadHandle', 'UploadedFile', 'AnalyticsEvent', 'CookieConsent'];
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining([...resources, 'ApiError', 'LeadError']));
  const bodies = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(jsonSchemas));
  const inline = bodies.filter((schema) => schema.type === 'object');
  expect(bodies.length).toBeGreaterThan(operations.length);
  expect(inline).toEqual([]);
});

test('the document describes the messages of each type of event, with the headers of Standard Webhooks', () => {
  const { webhooks, components } = document as unknown as {
    webhooks: Record<string, { post: Described & { parameters: { name: string }[] } }>;
    components: { schemas: Record<string, { properties: Record<string, unknown> }> };
  };
  expect(Object.keys(webhooks)).toEqual(EVENT_TYPES);
  for (const [type, { post }] of Object.entries(webhooks)) {
    expect(post.parameters.map(({ name }) => name)).toEqual([
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ]);
    const [{ $ref } = {}] = jsonSchemas({ ...post, responses: {} }) as { $ref?: string }[];
    const name = $ref?.split('/').at(-1) ?? '';
    expect(components.schemas[name]?.properties).toMatchObject({ type: { const: type }, data: { type: 'object' } });
  }
});

test('building the document throws if two schemas share a name', () => {
  const named = (member: string) =>
    declareOperation(`test/${member}`, {
      ...list,
      route: `GET /api/v2/${member}`,
      responses: { 200: withDocs(z.object({ [member]: z.string() }), { id: 'Shared' }) },
    });
  expect(() => buildOpenApiDocument([named('one'), named('two')])).toThrow('Shared');
});

test('the document lists all possible error codes, and every schema with an error code refers to this list', () => {
  const { components } = document;
  expect(components.schemas.ErrorCode).toEqual({ type: 'string', enum: HTTP_ERROR_CODES });
  for (const name of ['ApiError', 'LeadError', 'RejectedEvent'])
    expect(JSON.stringify(components.schemas[name])).toContain('"code":{"$ref":"#/components/schemas/ErrorCode"}');
});

test('the document describes the headers of every response', () => {
  for (const { path, method, auth } of operations) {
    const { responses = {} } = document.paths[path]?.[method.toLowerCase()] ?? {};
    for (const [status, response] of Object.entries(responses)) {
      const names = Object.keys(resolved(document, response).headers ?? {});
      expect(names).toEqual(expect.arrayContaining(['x-request-id', 'Cache-Control']));
      if (status === '405') expect(names).toContain('Allow');
      if (status === '429' || status === '503') expect(names).toContain('Retry-After');
      if (status === '429') expect(names).toEqual(expect.arrayContaining(['RateLimit-Limit', 'RateLimit-Reset']));
      if (status === '401' && auth !== 'public') expect(names).toContain('x-amzn-Remapped-WWW-Authenticate');
    }
  }
});

test.each(operations)(
  '$id: the document contains a valid example of the request and of the response',
  ({ examples, ...declared }) => {
    const { request } = declared;
    const { path, body, form, query } = examples?.request ?? {};
    expect(examples?.response).toBeDefined();
    expect(declared.responses[successStatus({ ...declared })]?.safeParse(examples?.response).error).toBeUndefined();
    expect(request.path.safeParse(path ?? {}).error).toBeUndefined();
    expect(request.query?.safeParse(query ?? {}).error).toBeUndefined();
    expect(request.body?.safeParse(body).error).toBeUndefined();
    expect(form === undefined).toBe(request.form === undefined);
    const described = document.paths[declared.path]?.[declared.method.toLowerCase()];
    const success = described?.responses[successStatus({ ...declared })] as { content: Json };
    expect(Object.values(success.content)[0]).toMatchObject({ example: examples?.response });
    if (body !== undefined)
      expect(described?.requestBody).toMatchObject({ content: { 'application/json': { example: body } } });
  },
);

test('the example of an error has the code of its status, except for the 422 of submit and the 502 of ai-stream', () => {
  for (const { path, method, id } of operations) {
    const { responses = {} } = document.paths[path]?.[method.toLowerCase()] ?? {};
    for (const [status, response] of Object.entries(responses).filter(([status]) => Number(status) >= 400)) {
      // The body of submit's 422 has more properties than code and message. The body of ai-stream's 502 has no code.
      if (['funnel/submit 422', 'funnel/ai-stream 502'].includes(`${id} ${status}`)) continue;
      const { code } = new HttpError(Number(status) as HttpErrorStatus, '');
      expect(resolved(document, response).content).toMatchObject({
        'application/json': { example: { error: { code } } },
      });
    }
  }
});

test('operations with ETags document ETag, If-None-Match and 304; other operations document none of them', () => {
  const { paths } = document;
  for (const { path, method, etag: revalidates } of operations) {
    const { parameters, responses } = paths[path]?.[method.toLowerCase()] ?? {};
    const condition = (parameters ?? []).find(({ name }) => name === 'If-None-Match');
    const described = [
      condition !== undefined,
      responses?.['304'] !== undefined,
      responses?.['200']?.headers?.ETag !== undefined,
    ];
    expect(described).toEqual(new Array(3).fill(revalidates !== undefined));
    expect(responses?.['304']?.content).toBeUndefined();
  }
});

test.each(operations)(
  '$id: a 401 documents the header x-amzn-Remapped-WWW-Authenticate if and only if a token is required',
  (declared) => {
    const unauthorized = document.paths[declared.path]?.[declared.method.toLowerCase()]?.responses['401'];
    const names = Object.keys(resolved(document, unauthorized ?? {}).headers ?? {});
    expect(names.includes('x-amzn-Remapped-WWW-Authenticate')).toBe(declared.auth !== 'public');
  },
);

test.each(operations)('$id: the document describes how callers authenticate', (declared) => {
  const { paths, components } = document;
  const { security = [] } = paths[declared.path]?.[declared.method.toLowerCase()] ?? {};
  const schemes = security.flatMap(Object.keys).map((name) => components.securitySchemes[name]);
  const { signatureHeader } = declared;
  if (declared.auth !== 'public') expect(schemes).toMatchObject([{ type: 'http', scheme: 'bearer' }]);
  else if (signatureHeader === undefined) expect(schemes).toEqual([]);
  else expect(schemes).toMatchObject([{ type: 'apiKey', in: 'header', name: signatureHeader }]);
});

test('the description of an operation with its own body limit names the limit', () => {
  const { paths } = document;
  const own = operations.filter(({ limits }) => limits.bodyBytesMax !== undefined);
  expect(own.length).toBeGreaterThan(0);
  for (const { path, method, limits } of own)
    expect(paths[path]?.[method.toLowerCase()]?.description).toContain(`at most ${limits.bodyBytesMax} bytes`);
});

test.each(operations)(
  '$id: the document has every status of the operation, and a request body if the operation declares a body',
  (declared) => {
    const described = document.paths[declared.path]?.[declared.method.toLowerCase()];
    const statuses = [...Object.keys(declared.responses), ...[...errorStatusesOf(declared)].map(String)];
    expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
    expect(described?.requestBody === undefined).toBe(declared.body === 'none');
  },
);

test.each(operations)('$id: `errors` repeats no status that is added automatically, such as 429', (declared) => {
  const implied = errorStatusesOf({ ...declared, errors: [] });
  expect(declared.errors.filter((status) => implied.has(status))).toEqual([]);
});

test('the document names an alternative path only in the description of the operation, not in the list of paths', () => {
  const { paths } = document;
  const { path, alternativePath = '' } = operations.find(({ id }) => id === 'funnel/ingest-analytics') ?? {};
  expect(Object.keys(paths)).not.toContain(alternativePath);
  expect(paths[path ?? '']?.post?.description).toContain(`\`${alternativePath}\``);
});
