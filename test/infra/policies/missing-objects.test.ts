import { expect, test } from 'vitest';
import { evaluatePolicy } from '../../../infra/policies/evaluate-policy.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';
import type { Statement } from '../../../infra/policies/statement.ts';

const policies = readPolicies(await ensurePolicyFile());

/** Functions that may get status 403 for a missing object, with the reviewed reason. */
const WITHOUT_LIST_PERMISSION: Readonly<Record<string, string>> = {
  'analytics/acquisition': 'The read fails if a file of the manifest is missing, with status 403 as well as with 404.',
  'analytics/overview': 'See analytics/acquisition.',
  'analytics/timeseries': 'See analytics/acquisition.',
  'background/compact-base': 'See analytics/acquisition. A failed run is retried.',
};

const OBJECTS = /^(arn:aws:s3:::[^/]+)\/(.*)\*$/;

/** Returns the readable objects for which the function has no `s3:ListBucket`. S3 responds 403 if they are missing. */
const findUnlistable = (statements: readonly Statement[]): string[] =>
  statements
    .filter(({ actions }) => actions.includes('s3:GetObject'))
    .flatMap(({ resources }) => resources)
    .filter((objects) => {
      const [, resource, prefix] = OBJECTS.exec(objects) ?? [];
      if (resource === undefined) throw new Error(`Unexpected resource ${objects}.`);
      const context = { 's3:prefix': `${prefix}an/object` };
      return !evaluatePolicy(statements, { action: 's3:ListBucket', resource, context }).isAllowed;
    });

test('if a function may read objects, it may also list them, except for the functions in WITHOUT_LIST_PERMISSION', () => {
  const unlistable = Object.entries(policies).filter(([, statements]) => findUnlistable(statements).length > 0);
  expect(unlistable.map(([id]) => id).sort()).toEqual(Object.keys(WITHOUT_LIST_PERMISSION));
});
