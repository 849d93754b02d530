import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluatePolicy, matchesArn, matchesWildcards } from '../../../infra/policies/evaluate-policy.ts';
import { type RequiredPermission, Statement } from '../../../infra/policies/statement.ts';

const LIST = { action: 's3:ListBucket', resource: 'arn:aws:s3:::facts' };

const aStatement = (given: object = {}) =>
  Statement.parse({ Effect: 'Allow', Action: LIST.action, Resource: LIST.resource, ...given });
const allows = (permission: RequiredPermission, ...statements: Statement[]) =>
  evaluatePolicy(statements, permission).isAllowed;

describe('wildcards', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*', '?'), maxLength: 12 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*'), maxLength: 16 });

  test('match the same texts as the equivalent regular expression', () => {
    fc.assert(
      fc.property(pattern, text, (wildcards, candidate) => {
        const source = wildcards.replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesWildcards(wildcards, candidate)).toBe(new RegExp(`^${source}$`, 's').test(candidate));
      }),
      { numRuns: 2_000 },
    );
  });

  test('are matched before the test times out, even if a pattern has 2,000 of them', () => {
    expect(matchesWildcards(`${'*a'.repeat(2_000)}b`, 'a'.repeat(4_000))).toBe(false);
  });

  test('match colons in the last field of the ARN of an Allow, but not in earlier fields', () => {
    expect(matchesArn('arn:aws:s3:*', 'arn:aws:s3:::facts')).toBe(true);
    expect(matchesArn('arn:aws:s3:*', 'arn:aws:dynamodb:::facts')).toBe(false);
    expect(matchesArn('arn:aws:s3', 'arn:aws:s3:::facts')).toBe(false);
    expect(matchesArn('arn:*:facts', 'arn:aws:s3:::facts')).toBe(false);
    expect(matchesArn('arn:aws:dynamodb:*:1:table/a', 'arn:aws:dynamodb:eu:central:1:table/a')).toBe(false);
    expect(matchesArn('arn:aws:s3:::facts/*', 'arn:aws:s3:::facts/a:b/c')).toBe(true);
    expect(matchesArn('arn:aws:s3:::facts', 'arn:aws:s3:::facts/a')).toBe(false);
    expect(matchesArn('arn:aws:s3:::facts/*', '*')).toBe(false);
    expect(matchesArn('*', '*')).toBe(true);
  });
});

describe('evaluatePolicy', () => {
  test('denies an action or a resource that no statement allows', () => {
    expect(evaluatePolicy([], LIST)).toEqual({ isAllowed: false, reason: 'implicit deny' });
    expect(allows({ ...LIST, action: 's3:ListBucketVersions' }, aStatement())).toBe(false);
    expect(allows({ ...LIST, resource: 'arn:aws:s3:::factsy' }, aStatement())).toBe(false);
    expect(allows({ ...LIST, resource: 'arn:aws:s3:::Facts' }, aStatement())).toBe(false);
  });

  test('ignores the case of actions and returns the statement that allows the permission', () => {
    const statement = aStatement({ Action: ['s3:listbucket', 's3:Get*'] });
    expect(evaluatePolicy([statement], LIST)).toEqual({ isAllowed: true, statement });
  });

  test('denies if any statement denies, in any order of the statements', () => {
    const deny = aStatement({ Effect: 'Deny', Action: 's3:*', Resource: '*' });
    for (const statements of [
      [aStatement(), deny],
      [deny, aStatement()],
    ]) {
      expect(evaluatePolicy(statements, LIST)).toEqual({ isAllowed: false, reason: 'explicit deny' });
    }
  });
});

describe('conditions', () => {
  const withCondition = (Condition: object) => aStatement({ Condition });
  const listing = (prefix?: string): RequiredPermission => ({
    ...LIST,
    ...(prefix !== undefined && { context: { 's3:prefix': prefix } }),
  });

  test('match if the request has one of their values, and do not match if the request has no value for the key', () => {
    const statement = withCondition({ StringLike: { 's3:Prefix': ['facts/*', 'other'] } });
    expect(['facts/1', 'other'].map((prefix) => allows(listing(prefix), statement))).toEqual([true, true]);
    expect(['fact', 'others', '', undefined].map((prefix) => allows(listing(prefix), statement))).toEqual(
      Array(4).fill(false),
    );
  });

  test('must match for every key; wildcards work with StringLike, but not with StringEquals', () => {
    const tag = 'aws:ResourceTag/edge';
    const statement = withCondition({ StringEquals: { [tag]: 'E*' }, StringLike: { 's3:prefix': '*' } });
    const context = (edge: string) => ({ 's3:prefix': 'a', [tag.toLowerCase()]: edge });
    expect(allows({ ...LIST, context: context('E*') }, statement)).toBe(true);
    expect(allows({ ...LIST, context: context('E1') }, statement)).toBe(false);
    expect(allows({ ...LIST, context: { [tag.toLowerCase()]: 'E*' } }, statement)).toBe(false);
  });

  test('with an unsupported operator or key make evaluatePolicy throw an error', () => {
    expect(() => allows(listing('a'), withCondition({ StringNotLike: { 's3:prefix': 'a' } }))).toThrow('StringNotLike');
    expect(() => allows(listing('a'), withCondition({ StringLike: { 'aws:SourceIp': 'a' } }))).toThrow('aws:SourceIp');
  });
});

test('in a Deny, a wildcard in the middle of an ARN matches colons; in an Allow, it does not', () => {
  const deny = aStatement({ Effect: 'Deny', Resource: 'arn:aws:s3*facts' });
  expect(allows(LIST, aStatement(), deny)).toBe(false);
  expect(allows(LIST, aStatement({ Resource: 'arn:aws:s3*facts' }))).toBe(false);
});

test.each(['NotAction', 'NotResource', 'Principal'])('a statement with %s is rejected', (element) => {
  expect(() => aStatement({ [element]: '*' })).toThrow(element);
});
