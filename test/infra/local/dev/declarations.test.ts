import { expect, test } from 'vitest';
import { operations } from '../../../../functions/declarations.ts';
import { readDeclarations } from '../../../../infra/local/dev/declarations.ts';
import { pathsOf } from '../../../../shared/http/operation.ts';

test('the declarations that `npm run dev` reads contain all paths of all operations', () => {
  const served = readDeclarations().operations.map((operation) => [operation.id, operation.method, pathsOf(operation)]);
  expect(served).toEqual(operations.map((operation) => [operation.id, operation.method, pathsOf(operation)]));
  expect(served.flatMap(([, , paths]) => paths)).toContain('/api/v2/public/funnel/{id}/e');
});
