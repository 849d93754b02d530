import { expect, test } from 'vitest';
import { backgroundFunctions, operations } from '../../../../functions/declarations.ts';
import { costModelGaps } from '../../../../infra/cli/cost/model-gaps.ts';

test('the cost model covers every declared function', () => {
  expect(costModelGaps([...operations, ...backgroundFunctions].map(({ id }) => id))).toEqual([]);
});

test('for a function without estimates, the cost model names the files and tables to add them to', () => {
  expect(costModelGaps(['funnel/echo'])).toEqual([
    "infra/cli/cost/assumptions.ts: add 'funnel/echo' with its billed milliseconds to MILLISECONDS.",
    "infra/cli/cost/call-profiles.ts: add the AWS calls of 'funnel/echo' to CALL_PROFILES, and their number per month " +
      'to monthlyCalls in executions.ts. For a scheduled function: to IDLE_RUNS.',
  ]);
});
