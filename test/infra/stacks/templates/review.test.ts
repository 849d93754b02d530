import { Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, test } from 'vitest';
import { explain } from '../../../../infra/nag/acknowledge-findings.ts';
import { SecurityReview } from '../../../../infra/nag/review.ts';
import { synthesize } from '../../../support/stacks.ts';
import { contextOf, type Variant } from './deployments.ts';

const REASON = 'A reason that is long enough to say something, written by nobody for nothing.';

const reviewed = ({ app }: ReturnType<typeof synthesize>): string[] =>
  new SecurityReview()
    .validateScope(app)
    .violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}: ${description}`),
    );

describe.each(['prod', 'dev'] as const)('%s', (stage) => {
  test.each<Variant>(['as it comes', 'with every setting', 'with all that AWS offers'])(
    '%s: AWS Solutions has no unacknowledged finding, and every acknowledgement has a finding',
    (variant) => {
      expect(reviewed(synthesize(contextOf(stage, variant)))).toEqual([]);
    },
  );
});

// It compiles a large module first, which can take minutes on a busy machine.
test('CDK has no validation finding for the templates', { timeout: 300_000 }, () => {
  expect(() => synthesize(contextOf('prod', 'with all that AWS offers'), { validate: true })).not.toThrow();
});

describe('the review', () => {
  const { app, stacks } = synthesize();
  const added = new Bucket(stacks.data, 'Added');
  const of = (path: string) =>
    reviewed({ app } as ReturnType<typeof synthesize>).filter((fault) => fault.includes(path));

  test('reports a finding without an acknowledgement', () => {
    expect(of('/Added/')).toContainEqual(expect.stringMatching(/^AwsSolutions-S1 at /));
    expect(of('/Added/')).toContainEqual(expect.stringMatching(/^AwsSolutions-S10 at /));
  });

  test('rejects an acknowledgement without a finding', () => {
    explain(added, { SQS3: REASON });
    expect(of('/Added:')).toEqual([expect.stringMatching(/^Review-Explanation\[AwsSolutions-SQS3\].*remove it\.$/)]);
  });

  test('rejects a reason that explains nothing', () => {
    explain(added, { S1: 'not needed' });
    expect(of('/Added:')).toContainEqual(expect.stringMatching(/^Review-Explanation\[AwsSolutions-S1\].*sentence/));
  });

  test('rejects an acknowledgement of a whole stack', () => {
    Validations.of(stacks.lake).acknowledge({ id: 'AwsSolutions-S1', reason: REASON });
    expect(of('dev-lake:')).toEqual([expect.stringContaining('would hide what is added later')]);
  });
});
