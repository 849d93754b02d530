import { expect, test } from 'vitest';
import { backgroundFunctions, operations } from '../../../../functions/declarations.ts';
import { costModelGaps } from '../../../../infra/cli/cost/model-gaps.ts';

test.each([...operations, ...backgroundFunctions])('the cost model covers $id', ({ id }) => {
  expect(costModelGaps([id])).toEqual([]);
});

test('if a function has no estimates, the cost model names the files and constants that need them', () => {
  expect(costModelGaps(['funnel/echo'])).toEqual([
    "infra/cli/cost/assumptions.ts: add 'funnel/echo' with its billed milliseconds to MILLISECONDS.",
    "infra/cli/cost/call-profiles.ts: add 'funnel/echo' with its AWS calls and its executions per month to " +
      'CALL_PROFILES. If the function is scheduled, add its calls to IDLE_RUNS instead.',
  ]);
});
