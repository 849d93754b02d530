import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { operations } from '../../functions/operations.ts';
import { openApi } from '../../shared/http/openapi.ts';

type Document = { paths: Record<string, Record<string, { responses: Record<string, unknown>; requestBody?: object }>> };

test('the generated document is valid OpenAPI 3.1 in the eyes of an independent validator', async () => {
  const result = await new Validator().validate(structuredClone(openApi(operations)));
  expect(result).toMatchObject({ valid: true });
});

test.each(operations)('$id: every declared outcome stands in the document', (declared) => {
  const document = openApi(operations) as Document;
  const described = document.paths[declared.path]?.[declared.method.toLowerCase()];
  const statuses = [...Object.keys(declared.replies), ...declared.errors.map(String)];
  expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
  expect(described?.requestBody === undefined).toBe(declared.body === 'none');
});
