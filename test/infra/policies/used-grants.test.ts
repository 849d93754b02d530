import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { policyFile, readPolicies } from '../../../infra/policies/policy-file.ts';
import { Statement } from '../../../infra/policies/statement.ts';
import { UNUSED_BY_TESTS } from '../../../infra/policies/unused-by-tests.ts';
import { grantRecord, refusalsIn, unneededGrants } from '../../../infra/policies/used-grants.ts';

const folder = mkdtempSync(join(tmpdir(), 'tributary-grants-'));
afterAll(() => rmSync(folder, { recursive: true }));

const allowing = (Resource: string, ...Action: string[]) => Statement.parse({ Effect: 'Allow', Action, Resource });

test('what no process of a run used is unneeded, but for what nothing here can use', () => {
  const policies = {
    a: [allowing('one', 's3:Get', 's3:Put'), allowing('two', 's3:Get', 'logs:Put')],
    b: [allowing('one', 's3:Get')],
  };
  grantRecord(folder).used({ id: 'a', action: 's3:Get', resources: ['one'] });
  const other = grantRecord(folder);
  other.used({ id: 'a', action: 's3:Put', resources: ['one'] });
  other.refused('A sentence.');
  other.refused('A sentence.');
  expect(unneededGrants(policies, folder, { 'logs:Put': 'Lambda writes.' })).toEqual([
    { id: 'a', action: 's3:Get', resources: ['two'] },
    { id: 'b', action: 's3:Get', resources: ['one'] },
  ]);
  expect(refusalsIn(folder)).toEqual(['A sentence.']);
});

test('each exception is of a permission that some function has', async () => {
  const granted = Object.values(readPolicies(await policyFile())).flatMap((statements) =>
    statements.flatMap(({ actions }) => actions),
  );
  expect(Object.keys(UNUSED_BY_TESTS).filter((action) => !granted.includes(action))).toEqual([]);
});
