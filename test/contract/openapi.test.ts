import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { openApi } from '../../shared/http/openapi.ts';

type Response = { headers?: Record<string, unknown>; content?: unknown };
type Described = { parameters?: { name: string }[]; responses: Record<string, Response>; requestBody?: object };
type Document = { paths: Record<string, Record<string, Described>> };

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

test.each(operations)('$id: every declared outcome stands in the document', (declared) => {
  const document = openApi(operations) as Document;
  const described = document.paths[declared.path]?.[declared.method.toLowerCase()];
  const statuses = [...Object.keys(declared.replies), ...declared.errors.map(String)];
  expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
  expect(described?.requestBody === undefined).toBe(declared.body === 'none');
});
