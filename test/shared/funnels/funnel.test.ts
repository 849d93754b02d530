import { expect, test } from 'vitest';
import { Field, stepIdsOf } from '../../../shared/funnels/funnel.ts';

const field = (id: string, stepId: string | null) => Field.parse({ id, type: 'text', stepId });

test('the steps of a version are in the declared order, and include steps without fields', () => {
  const fields = [field('a', 'second'), field('b', 'first')];
  expect(stepIdsOf({ fields, steps: [{ id: 'first', title: 'First' }, { id: 'second' }, { id: 'third' }] })).toEqual([
    'first',
    'second',
    'third',
  ]);
});

test('if a version declares no steps, its steps are in the order of the fields', () => {
  const fields = [field('a', 'one'), field('b', null), field('c', 'two'), field('d', 'one')];
  expect(stepIdsOf({ fields })).toEqual(['one', 'two']);
});
