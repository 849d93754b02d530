import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { openApi } from '../../shared/http/openapi.ts';

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
  components: { securitySchemes: Record<string, unknown> };
};

test('the generated document is valid OpenAPI 3.1 in the eyes of an independent validator', async () => {
  const result = await new Validator().validate(structuredClone(openApi(operations)));
  expect(result).toMatchObject({ valid: true });
});

test('an operation whose answers are revalidated says how: the tag, the condition and 304', () => {
  const { paths } = openApi(operations) as Document;
  for (const { path, method, revalidates } of operations) {
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
  '$id: a 401 names the challenge as API Gateway delivers it, where a token is needed',
  (declared) => {
    const { paths } = openApi(operations) as Document;
    const unauthorized = paths[declared.path]?.[declared.method.toLowerCase()]?.responses['401'];
    const challenged =
      declared.auth === 'public' ? undefined : { 'x-amzn-Remapped-WWW-Authenticate': expect.anything() };
    expect(unauthorized?.headers).toEqual(challenged);
  },
);

test.each(operations)('$id: the document says how its callers prove who they are', (declared) => {
  const { paths, components } = openApi(operations) as Document;
  const { security = [] } = paths[declared.path]?.[declared.method.toLowerCase()] ?? {};
  const schemes = security.flatMap(Object.keys).map((name) => components.securitySchemes[name]);
  const { signatureHeader } = declared;
  if (declared.auth !== 'public') expect(schemes).toMatchObject([{ type: 'http', scheme: 'bearer' }]);
  else if (signatureHeader === undefined) expect(schemes).toEqual([]);
  else expect(schemes).toMatchObject([{ type: 'apiKey', in: 'header', name: signatureHeader }]);
});

test('a limit of its own for the body stands in the document as declared', () => {
  const { paths } = openApi(operations) as Document;
  const own = operations.filter(({ limits }) => limits.bodyBytesMax !== undefined);
  expect(own.length).toBeGreaterThan(0);
  for (const { path, method, limits } of own)
    expect(paths[path]?.[method.toLowerCase()]?.description).toContain(`at most ${limits.bodyBytesMax} bytes`);
});

test.each(operations)('$id: every declared outcome stands in the document', (declared) => {
  const document = openApi(operations) as Document;
  const described = document.paths[declared.path]?.[declared.method.toLowerCase()];
  const statuses = [...Object.keys(declared.replies), ...declared.errors.map(String)];
  expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
  expect(described?.requestBody === undefined).toBe(declared.body === 'none');
});
