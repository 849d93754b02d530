import { describe, expect, test } from 'vitest';
import { evaluatePolicy } from '../../../infra/policies/evaluate-policy.ts';
import { ensurePolicyFile, readPolicies } from '../../../infra/policies/policy-file.ts';

const policies = readPolicies(await ensurePolicyFile());
const statements = Object.values(policies).flat();

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
])('%s is granted under these conditions alone', (action, expected) => {
  const granted = statements
    .filter(({ actions }) => actions.includes(action))
    .map(({ resources, conditions }) => JSON.stringify([resources.join(' '), conditions]));
  expect([...new Set(granted)].sort()).toEqual(expected.map((one) => JSON.stringify(one)).sort());
});

describe('an e-mail may be sent', () => {
  const sends = (resource: string, address: string) =>
    evaluatePolicy(policies['funnel/mfa-send'] ?? [], {
      action: 'ses:SendEmail',
      resource: `arn:aws:ses:eu-central-1:111122223333:${resource}`,
      context: { 'ses:fromaddress': address },
    }).allowed;

  test.each([
    ['identity/tributary.example', 'the domain of the sender'],
    ['identity/codes@tributary.example', 'a sender that is verified separately'],
    ['identity/ada@shop.example', 'the recipient, in the sandbox'],
    ['configuration-set/default', 'the default configuration set of the identity'],
  ])('where SES checks %s: %s', (resource) => {
    expect(sends(resource, variable('MAIL_FROM'))).toBe(true);
  });

  test('from no other address, and with no other resource', () => {
    expect(sends('identity/tributary.example', 'other@tributary.example')).toBe(false);
    expect(sends('template/any', variable('MAIL_FROM'))).toBe(false);
  });
});
