import { expect, test } from 'vitest';
import { evaluatePolicy } from '../../../infra/policies/evaluate-policy.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';
import type { Statement } from '../../../infra/policies/statement.ts';

const policies = readPolicies(await ensurePolicyFile());

/** Reviewed: who needs not tell a missing object from a forbidden one, and why. */
const ALL_THE_SAME: Readonly<Record<string, string>> = {
  'analytics/acquisition':
    'The manifest names its files: one that is missing fails the read, as one that is forbidden.',
  'analytics/overview': 'As acquisition.',
  'analytics/timeseries': 'As acquisition.',
  'background/compact-base': 'As acquisition: a run that fails is made again.',
};

const OBJECTS = /^(arn:aws:s3:::[^/]+)\/(.*)\*$/;

/** Where a function may read objects without hearing that one is missing. */
const deafTo = (statements: readonly Statement[]): string[] =>
  statements
    .filter(({ actions }) => actions.includes('s3:GetObject'))
    .flatMap(({ resources }) => resources)
    .filter((objects) => {
      const [, resource, prefix] = OBJECTS.exec(objects) ?? [];
      if (resource === undefined) throw new Error(`Which objects are ${objects}?`);
      const context = { 's3:prefix': `${prefix}an/object` };
      return !evaluatePolicy(statements, { action: 's3:ListBucket', resource, context }).allowed;
    });

test('who reads objects hears from S3 that one is missing, or has no need to', () => {
  const deaf = Object.entries(policies).filter(([, statements]) => deafTo(statements).length > 0);
  expect(deaf.map(([id]) => id).sort()).toEqual(Object.keys(ALL_THE_SAME));
});
