import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONSENT_FIELDS_MAX } from '../../../../shared/funnels/funnel.ts';
import { buildLeadUpdate } from '../../../../shared/leads/aws/lead-update.ts';
import {
  assertExpressionSize,
  EXPRESSION_BYTES_MAX,
  EXPRESSION_OPERATORS_MAX,
} from '../../../../shared/leads/aws/update-expression.ts';
import { aLeadChange, aLeadKey, NOON } from '../../../support/leads/lead-repository.ts';

/** Counts assignments, comparators, functions, logical words, and each action of ADD and REMOVE. */
function operators(expression: string): number {
  const [assignments = '', ...otherActions] = expression.split(/ (?:ADD|REMOVE) /);
  const others = otherActions.join(',').split(',').length;
  return others + (assignments.match(/[=<>]+|\w\(|\bAND\b|\bOR\b/g)?.length ?? 0);
}

const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 128 });
const largest = fc.record({
  keys: fc.uniqueArray(key, { minLength: 190, maxLength: 200 }),
  clears: fc.array(fc.boolean(), { minLength: 200, maxLength: 200 }),
  stepId: fc.string({ minLength: 1, maxLength: 128 }),
  isMeasured: fc.boolean(),
});

test('an update of up to 200 keys with the maximum number of consents has at most 4 KB and 300 operators', () => {
  fc.assert(
    fc.property(largest, ({ keys, clears, stepId, isMeasured }) => {
      const submit = aLeadChange({
        dataChanges: new Map(keys.map((key, index) => [key, clears[index] ? null : 'true'])),
        consents: keys
          .slice(0, CONSENT_FIELDS_MAX)
          .map((field, index) => ({ field, given: !clears[index], textVersion: 'v1', versionId: 'a version' })),
        stepId,
        isValidLastStep: stepId !== undefined,
        pageUrl: 'https://shop.example/',
        webcomponentArgs: '{}',
        cookieConsent: '{"cmp":"usercentrics"}',
        retainedUntilMs: NOON,
      });
      const exactSize = isMeasured ? { submitsBefore: 1, bytes: 1, steps: 1 } : undefined;
      const update = buildLeadUpdate(aLeadKey(), submit, exactSize);
      for (const expression of [update.UpdateExpression, update.ConditionExpression]) {
        expect(Buffer.byteLength(expression)).toBeLessThanOrEqual(EXPRESSION_BYTES_MAX);
        expect(operators(expression)).toBeLessThanOrEqual(EXPRESSION_OPERATORS_MAX);
      }
    }),
    { numRuns: 50 },
  );
});

test('in an update, each attribute has one alias, and each alias is used', () => {
  const update = buildLeadUpdate(aLeadKey(), aLeadChange({ dataChanges: new Map([['a', '1']]), stepId: 's' }));
  const text = `${update.UpdateExpression} ${update.ConditionExpression}`;
  const used = new Set(text.match(/[#:][0-9a-z]+/g));
  const known = [...Object.keys(update.ExpressionAttributeNames), ...Object.keys(update.ExpressionAttributeValues)];
  expect([...used].sort()).toEqual(known.sort());
  const names = Object.values(update.ExpressionAttributeNames);
  expect(new Set(names).size).toBe(names.length);
});

test('assertExpressionSize throws for an expression above the limits of DynamoDB', () => {
  expect(() => assertExpressionSize(`SET ${'#0=:0,'.repeat(700)}#1=:1`)).toThrow(
    / bytes with \d+ operators\. DynamoDB allows /,
  );
  expect(() => assertExpressionSize(`SET ${'#0=:0,'.repeat(300)}#1=:1`)).toThrow(
    / bytes with \d+ operators\. DynamoDB allows /,
  );
});
