import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import { UserError } from '../../common/user-error.ts';
import { MILLISECONDS } from './assumptions.ts';
import { CALL_PROFILES, type CallProfile, IDLE_RUNS, PIPELINE, UNPRICED } from './call-profiles.ts';

const profiles: readonly CallProfile[] = [...Object.values(CALL_PROFILES), ...Object.values(PIPELINE)];
const COVERED = new Set([
  ...profiles.map((profile) => profile.function),
  ...Object.keys(IDLE_RUNS),
  ...Object.keys(UNPRICED),
]);

/** Returns, for each missing estimate of these functions, a sentence that says where to add the estimate. */
export const costModelGaps = (ids: readonly string[]): string[] =>
  ids.flatMap((id) => [
    ...(MILLISECONDS[id] === undefined
      ? [`infra/cli/cost/assumptions.ts: add '${id}' with its billed milliseconds to MILLISECONDS.`]
      : []),
    ...(COVERED.has(id)
      ? []
      : [
          `infra/cli/cost/call-profiles.ts: add '${id}' with its AWS calls and its executions per month to ` +
            'CALL_PROFILES. If the function is scheduled, add its calls to IDLE_RUNS instead.',
        ]),
  ]);

/** @throws UserError if a declared function would be missing from the bill */
export function requireCompleteModel(): void {
  const gaps = costModelGaps([...operations, ...backgroundFunctions].map(({ id }) => id));
  if (gaps.length > 0) throw new UserError(`The cost model is not complete.\n${gaps.join('\n')}`);
}
