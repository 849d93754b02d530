import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { funnelDefinitionSchema } from '../../../../../infra/cli/funnels/definition/funnel-definition.ts';
import { parseFunnelDefinition } from '../../../../../infra/cli/funnels/definition/parse-definition.ts';

const ROOT = join(import.meta.dirname, '../../../../..');

test('the JSON Schema in the repository equals the JSON Schema that the code generates', () => {
  const kept = JSON.parse(readFileSync(join(ROOT, 'infra/cli/funnels/definition/funnel.schema.json'), 'utf8'));
  expect(kept).toEqual(funnelDefinitionSchema());
  expect(kept.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
});

test('no object of the JSON Schema allows unknown properties', () => {
  const objects: unknown[] = [];
  JSON.stringify(funnelDefinitionSchema(), (_, value) => {
    if (value?.properties !== undefined && value.type === 'object') objects.push(value.additionalProperties);
    return value;
  });
  expect(new Set(objects)).toEqual(new Set([false]));
});

test('the example funnel is valid and refers to the JSON Schema', () => {
  const path = join(ROOT, 'infra/local/seed/example-funnel.json');
  const reading = parseFunnelDefinition(readFileSync(path));
  if (!('file' in reading)) throw new Error(JSON.stringify(reading.issues));
  expect(join(path, '..', reading.file.$schema ?? '')).toBe(
    join(ROOT, 'infra/cli/funnels/definition/funnel.schema.json'),
  );
});
