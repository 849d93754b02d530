import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluatePolicy, matchesArn, matchesWildcards } from '../../../infra/policies/evaluate-policy.ts';
import { type RequiredPermission, Statement } from '../../../infra/policies/statement.ts';

const LIST = { action: 's3:ListBucket', resource: 'arn:aws:s3:::facts' };

const aStatement = (given: object = {}) =>
  Statement.parse({ Effect: 'Allow', Action: LIST.action, Resource: LIST.resource, ...given });
const allows = (demand: RequiredPermission, ...statements: Statement[]) => evaluatePolicy(statements, demand).allowed;

describe('a pattern', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*', '?'), maxLength: 12 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '/', '*'), maxLength: 16 });

  test('matches as the regular expression does that it stands for', () => {
    fc.assert(
      fc.property(pattern, text, (wanted, given) => {
        const source = wanted.replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesWildcards(wanted, given)).toBe(new RegExp(`^${source}$`, 's').test(given));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of many wildcards is decided at once, whatever it is compared with', () => {
    expect(matchesWildcards(`${'*a'.repeat(2_000)}b`, 'a'.repeat(4_000))).toBe(false);
  });

  test('of a resource reaches from one field of the ARN into the next only at its end', () => {
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

describe('a decision', () => {
  test('is no where nothing allows, by action and by resource', () => {
    expect(evaluatePolicy([], LIST)).toEqual({ allowed: false, why: 'nothing allows it' });
    expect(allows({ ...LIST, action: 's3:ListBucketVersions' }, aStatement())).toBe(false);
    expect(allows({ ...LIST, resource: 'arn:aws:s3:::factsy' }, aStatement())).toBe(false);
    expect(allows({ ...LIST, resource: 'arn:aws:s3:::Facts' }, aStatement())).toBe(false);
  });

  test('knows actions in any case, and names the statement that allows', () => {
    const statement = aStatement({ Action: ['s3:listbucket', 's3:Get*'] });
    expect(evaluatePolicy([statement], LIST)).toEqual({ allowed: true, by: statement });
  });

  test('is no wherever something denies, in any order', () => {
    const deny = aStatement({ Effect: 'Deny', Action: 's3:*', Resource: '*' });
    for (const statements of [
      [aStatement(), deny],
      [deny, aStatement()],
    ]) {
      expect(evaluatePolicy(statements, LIST)).toEqual({ allowed: false, why: 'something denies it' });
    }
  });
});

describe('a condition', () => {
  const under = (Condition: object) => aStatement({ Condition });
  const listing = (prefix?: string): RequiredPermission => ({
    ...LIST,
    ...(prefix !== undefined && { context: { 's3:prefix': prefix } }),
  });

  test('holds with any of its values, and not without the key', () => {
    const statement = under({ StringLike: { 's3:Prefix': ['facts/*', 'other'] } });
    expect(['facts/1', 'other'].map((prefix) => allows(listing(prefix), statement))).toEqual([true, true]);
    expect(['fact', 'others', '', undefined].map((prefix) => allows(listing(prefix), statement))).toEqual(
      Array(4).fill(false),
    );
  });

  test('must hold with every key, and takes wildcards only where it says so', () => {
    const tag = 'aws:ResourceTag/edge';
    const statement = under({ StringEquals: { [tag]: 'E*' }, StringLike: { 's3:prefix': '*' } });
    const context = (edge: string) => ({ 's3:prefix': 'a', [tag.toLowerCase()]: edge });
    expect(allows({ ...LIST, context: context('E*') }, statement)).toBe(true);
    expect(allows({ ...LIST, context: context('E1') }, statement)).toBe(false);
    expect(allows({ ...LIST, context: { [tag.toLowerCase()]: 'E*' } }, statement)).toBe(false);
  });

  test('that is not understood is an error, not an answer', () => {
    expect(() => allows(listing('a'), under({ StringNotLike: { 's3:prefix': 'a' } }))).toThrow('StringNotLike');
    expect(() => allows(listing('a'), under({ StringLike: { 'aws:SourceIp': 'a' } }))).toThrow('aws:SourceIp');
  });
});

test('what denies reaches as far as its wildcards might', () => {
  const deny = aStatement({ Effect: 'Deny', Resource: 'arn:aws:s3*facts' });
  expect(allows(LIST, aStatement(), deny)).toBe(false);
  expect(allows(LIST, aStatement({ Resource: 'arn:aws:s3*facts' }))).toBe(false);
});

test.each(['NotAction', 'NotResource', 'Principal'])('a statement with %s is not understood', (element) => {
  expect(() => aStatement({ [element]: '*' })).toThrow(element);
});
