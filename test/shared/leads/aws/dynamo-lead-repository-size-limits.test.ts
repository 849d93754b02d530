import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { LEAD_BYTES_MAX, LEAD_STEPS_MAX } from '../../../../shared/leads/lead.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChange } from '../../../support/leads/lead-repository.ts';
import { aLeadChangeOf, readLeadData, readLeadItem, storeLead } from '../../../support/leads/stored-leads.ts';

useDynamo();

const leads = createDynamoLeadRepository();

describe('the lead repository', () => {
  const chunk = 'x'.repeat(60_000);
  const fill = async () => {
    const key = await storeLead();
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      expect(await leads.merge(key, aLeadChangeOf({ [name]: chunk }))).toBe('merged');
    return key;
  };

  test('rejects a submit that would make a lead larger than 300 KB, but still accepts a smaller submit', async () => {
    const key = await fill();
    const before = await readLeadItem(key);
    expect(await leads.merge(key, aLeadChangeOf({ f: chunk }))).toBe('too_large');
    expect(await readLeadItem(key)).toEqual(before);
    expect(await leads.merge(key, aLeadChangeOf({ f: 'small' }))).toBe('merged');
  });

  test('does not count replaced and cleared values towards the size limit', async () => {
    const key = await fill();
    for (let time = 0; time < 12; time++)
      expect(await leads.merge(key, aLeadChangeOf({ a: chunk, time }))).toBe('merged');
    expect(await leads.merge(key, aLeadChangeOf({ a: null, f: chunk }))).toBe('merged');
    expect(Object.keys(await readLeadData(key)).sort()).toEqual(['b', 'c', 'd', 'e', 'f', 'time']);
  });

  test('stores an upper bound of the size of a lead, for any sequence of submits', async () => {
    const [field, versionId] = [fc.constantFrom('news', 'ümlaut'), fc.constant('a version')];
    const submit = fc.record({
      changes: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), fc.constantFrom(null, 'x', chunk)),
      stepId: fc.constantFrom(undefined, 'one', 'two'),
      consents: fc.array(
        fc.record({ field, given: fc.boolean(), textVersion: fc.constantFrom(undefined, 'v2'), versionId }),
        {
          maxLength: 3,
        },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(submit, { minLength: 3, maxLength: 12 }), async (submits) => {
        const key = await storeLead();
        for (const { changes, ...overrides } of submits) {
          expect(['merged', 'too_large']).toContain(await leads.merge(key, aLeadChangeOf(changes, overrides)));
          const item = await readLeadItem(key);
          const bytes = Buffer.byteLength(Object.entries(item).flat().join(''));
          expect(Number(item.bytesBound)).toBeGreaterThanOrEqual(bytes);
          expect(bytes).toBeLessThanOrEqual(LEAD_BYTES_MAX);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('accepts exactly one of four concurrent submits if two of them together would exceed the size limit', async () => {
    const key = await storeLead();
    // The last write replaces a value, but the stored bound still counts the old value. By this bound, no other value
    // fits. By the exact size, one more value fits.
    for (const name of ['a', 'b', 'c', 'd', 'a'])
      expect(await leads.merge(key, aLeadChangeOf({ [name]: chunk }))).toBe('merged');
    const outcomes = await Promise.all(
      ['e', 'f', 'g', 'h'].map((name) => leads.merge(key, aLeadChangeOf({ [name]: chunk }))),
    );
    expect(outcomes.sort()).toEqual(['merged', 'too_large', 'too_large', 'too_large']);
    expect(Object.keys(await readLeadData(key))).toHaveLength(5);
  });

  test('saves a submit with the 201st step, but does not add the step to the history', async () => {
    const key = await storeLead();
    for (let step = 0; step < LEAD_STEPS_MAX; step++) {
      expect(await leads.merge(key, aLeadChange({ stepId: `step ${step}` }))).toBe('merged');
    }
    expect(await leads.merge(key, aLeadChangeOf({ late: 1 }, { stepId: 'one more' }))).toBe('merged');
    expect(await leads.merge(key, aLeadChange({ stepId: 'step 0' }))).toBe('merged');
    const item = await readLeadItem(key);
    expect(Object.keys(item).filter((name) => name.startsWith('step.count.'))).toHaveLength(LEAD_STEPS_MAX);
    expect(item).toMatchObject({ 'd.late': '1', 'step.count.step 0': 2 });
    expect(item).not.toHaveProperty('step.count.one more');
  });

  test('counts a step only once towards the step limit, even if 201 submits contain the step', async () => {
    const key = await storeLead();
    for (let time = 0; time < 201; time++) await leads.merge(key, aLeadChange({ stepId: 'again' }));
    expect(await leads.merge(key, aLeadChange({ stepId: 'new' }))).toBe('merged');
    expect(await readLeadItem(key)).toMatchObject({ 'step.count.again': 201, 'step.count.new': 1, stepsBound: 2 });
  });
});
