import { describe, expect, test } from 'vitest';
import { evaluatePolicy } from '../../../infra/policies/evaluate-policy.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';

const policies = readPolicies(await ensurePolicyFile());
const statements = Object.values(policies).flat();

/** Returns a reference to an environment variable, as policies contain it. */
const variable = (name: string) => `\${${name}}`;
const below = (...prefixes: string[]) => ({ StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}/*`) } });
const bucket = (name: string) => `arn:aws:s3:::${variable(name)}`;

/** The resources and conditions with which each action is granted. All of them are reviewed. */
test.each<[string, [resource: string, conditions: object][]]>([
  [
    's3:ListBucket',
    [
      [bucket('FACTS_BUCKET'), below('facts')],
      // The grant is not limited to a prefix, because the bucket contains only raw events and delivery errors.
      [bucket('LAKE_BUCKET'), {}],
      [bucket('TRAINING_BUCKET'), below('transcripts', 'recordings')],
      [bucket('TRAINING_BUCKET'), below('transcripts')],
      // The grant is not limited to a prefix, because each key begins with the id of an organization.
      [bucket('UPLOADS_BUCKET'), {}],
    ],
  ],
  ['s3:ListBucketVersions', [[bucket('FACTS_BUCKET'), below('facts')]]],
  [
    'ses:SendEmail',
    [
      [
        'arn:aws:ses:eu-central-1:111122223333:identity/* arn:aws:ses:eu-central-1:111122223333:configuration-set/*',
        { StringEquals: { 'ses:FromAddress': [variable('MAIL_FROM')] } },
      ],
    ],
  ],
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
])('%s is granted with exactly the reviewed resources and conditions', (action, expected) => {
  const granted = statements
    .filter(({ actions }) => actions.includes(action))
    .map(({ resources, conditions }) => JSON.stringify([resources.join(' '), conditions]));
  expect([...new Set(granted)].sort()).toEqual(expected.map((one) => JSON.stringify(one)).sort());
});

describe('ses:SendEmail', () => {
  const isAllowed = (resource: string, address: string) =>
    evaluatePolicy(policies['funnel/mfa-send'] ?? [], {
      action: 'ses:SendEmail',
      resource: `arn:aws:ses:eu-central-1:111122223333:${resource}`,
      context: { 'ses:fromaddress': address },
    }).isAllowed;

  test.each([
    ['identity/tributary.example', 'the domain of the sender'],
    ['identity/codes@tributary.example', 'a separately verified sender'],
    ['identity/ada@shop.example', 'the recipient in the SES sandbox'],
    ['configuration-set/default', 'the default configuration set of the identity'],
  ])('is allowed on %s (%s)', (resource) => {
    expect(isAllowed(resource, variable('MAIL_FROM'))).toBe(true);
  });

  test('is denied for another sender and for a template', () => {
    expect(isAllowed('identity/tributary.example', 'other@tributary.example')).toBe(false);
    expect(isAllowed('template/any', variable('MAIL_FROM'))).toBe(false);
  });
});
