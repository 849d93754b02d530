import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createGrantUsageLog, findUnusedGrants, readDenials } from '../../../infra/policies/grant-usage.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';
import { Statement } from '../../../infra/policies/statement.ts';
import { UNTESTED_GRANTS } from '../../../infra/policies/untested-grants.ts';

const folder = mkdtempSync(join(tmpdir(), 'tributary-grants-'));
afterAll(() => rmSync(folder, { recursive: true }));

const allowing = (Resource: string, ...Action: string[]) => Statement.parse({ Effect: 'Allow', Action, Resource });

test('findUnusedGrants returns the permissions that no test used; it omits the given exceptions', () => {
  const policies = {
    a: [allowing('one', 's3:Get', 's3:Put'), allowing('two', 's3:Get', 'logs:Put')],
    b: [allowing('one', 's3:Get')],
  };
  createGrantUsageLog(folder).recordUse({ id: 'a', action: 's3:Get', resources: ['one'] });
  const other = createGrantUsageLog(folder);
  other.recordUse({ id: 'a', action: 's3:Put', resources: ['one'] });
  other.recordDenial('Denied.');
  other.recordDenial('Denied.');
  expect(findUnusedGrants(policies, folder, { 'logs:Put': 'Lambda writes logs.' })).toEqual([
    { id: 'a', action: 's3:Get', resources: ['two'] },
    { id: 'b', action: 's3:Get', resources: ['one'] },
  ]);
  expect(readDenials(folder)).toEqual(['Denied.']);
});

test('each action in UNTESTED_GRANTS is granted to a function', async () => {
  const granted = Object.values(readPolicies(await ensurePolicyFile())).flatMap((statements) =>
    statements.flatMap(({ actions }) => actions),
  );
  expect(Object.keys(UNTESTED_GRANTS).filter((action) => !granted.includes(action))).toEqual([]);
});
