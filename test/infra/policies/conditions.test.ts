import { expect, test } from 'vitest';
import { policyFile, readPolicies } from '../../../infra/policies/policy-file.ts';

const statements = Object.values(readPolicies(await policyFile())).flat();

/** As a policy holds it. */
const variable = (name: string) => `\${${name}}`;
const below = (...prefixes: string[]) => ({ StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}/*`) } });
const bucket = (name: string) => `arn:aws:s3:::${variable(name)}`;

/** Reviewed: all that roles say under a condition, and what they say of the same without one. */
test.each<[string, [resource: string, conditions: object][]]>([
  [
    's3:ListBucket',
    [
      [bucket('FACTS_BUCKET'), below('facts')],
      // It holds nothing but raw events.
      [bucket('LAKE_BUCKET'), {}],
      [bucket('TRAINING_BUCKET'), below('transcripts', 'recordings')],
      [bucket('TRAINING_BUCKET'), below('transcripts')],
      // Its keys begin with the organization.
      [bucket('UPLOADS_BUCKET'), {}],
    ],
  ],
  ['s3:ListBucketVersions', [[bucket('FACTS_BUCKET'), below('facts')]]],
  ['acm:RequestCertificate', [['*', { StringEquals: { 'acm:ValidationMethod': ['HTTP'] } }]]],
  [
    'cloudfront:DeleteDistributionTenant',
    [
      [
        'arn:aws:cloudfront::111122223333:distribution-tenant/*',
        { StringEquals: { 'aws:ResourceTag/tributary-edge': [variable('EDGE_DISTRIBUTION_ID')] } },
      ],
    ],
  ],
])('%s is granted under these conditions alone', (action, expected) => {
  const granted = statements
    .filter(({ actions }) => actions.includes(action))
    .map(({ resources, conditions }) => JSON.stringify([resources.join(' '), conditions]));
  expect([...new Set(granted)].sort()).toEqual(expected.map((one) => JSON.stringify(one)).sort());
});
