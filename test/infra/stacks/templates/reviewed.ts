import { SecurityReview } from '../../../../infra/nag/review.ts';
import type { Synthesized } from '../../../support/stacks.ts';

/** Returns the unacknowledged findings of AWS Solutions, and the acknowledgements without a finding. */
export const reviewed = ({ app }: Synthesized): string[] =>
  new SecurityReview()
    .validateScope(app)
    .violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}: ${description}`),
    );
