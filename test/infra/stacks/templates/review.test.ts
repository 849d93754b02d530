import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, Fn, Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, test } from 'vitest';
import cdk from '../../../../cdk.json' with { type: 'json' };
import { explain } from '../../../../infra/nag/acknowledge-findings.ts';
import { SecurityReview } from '../../../../infra/nag/review.ts';
import { synthesize } from '../../../support/stacks.ts';
import { contextOf, PREVIEW, type StageName, type Variant } from './deployments.ts';

const REASON = 'This reason has enough words to be accepted, although it explains nothing.';

const reviewed = ({ app }: ReturnType<typeof synthesize>): string[] =>
  new SecurityReview()
    .validateScope(app)
    .violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}: ${description}`),
    );

describe.each(['prod', 'dev', PREVIEW] as const)('in %s', (stage) => {
  test.each<Variant>(['with defaults', 'with every setting', 'with AWS services only'])(
    '%s: AWS Solutions has no unacknowledged finding, and every acknowledgement has a finding',
    (variant) => {
      expect(reviewed(synthesize(contextOf(stage, variant)))).toEqual([]);
    },
  );
});

// The validation compiles a large module first, which can take minutes on a busy machine.
describe('the validation of CDK', { timeout: 300_000 }, () => {
  test.each<[StageName, Variant]>([
    ['prod', 'with AWS services only'],
    ['prod', 'with every setting, changed'],
    ['dev', 'with defaults'],
    [PREVIEW, 'with every setting'],
  ])('has no finding in %s, %s', (stage, variant) => {
    expect(() => synthesize(contextOf(stage, variant), { validate: true })).not.toThrow();
  });

  /** Synthesizes a stack with one function for each of these sets of properties. */
  const validate = (...functions: object[]) => {
    const outdir = mkdtempSync(join(tmpdir(), 'tributary-validation-'));
    const app = new App({ outdir, context: cdk.context, builtinCloudFormationValidation: true });
    const stack = new Stack(app, 'Stack');
    functions.forEach((properties, at) => {
      new CfnResource(stack, `Function${at}`, {
        type: 'AWS::Lambda::Function',
        properties: { Role: 'arn:aws:iam::111122223333:role/a', Code: { ZipFile: '0' }, ...LAMBDA, ...properties },
      });
    });
    try {
      app.synth();
    } finally {
      rmSync(outdir, { recursive: true });
    }
  };
  const LAMBDA = { Runtime: 'nodejs24.x', Handler: 'index.handler' };

  test.each<[string, RegExp, ...object[]]>([
    ['a description over the limit', /length 257 exceeds maximum 256/, { Description: 'x'.repeat(257) }],
    ['a reference to a missing resource', /'Missing' is not one of/, { Description: Fn.ref('Missing') }],
    ['two resources with the same name', /should have unique values/, { FunctionName: 'a' }, { FunctionName: 'a' }],
    [
      'circular dependencies',
      /Circular Dependencies/,
      { Description: Fn.ref('Function1') },
      { Description: Fn.ref('Function0') },
    ],
  ])('rejects %s', (_, report, ...functions) => {
    expect(() => validate(...functions)).toThrow(report);
  });

  test('accepts functions with different names', () => {
    expect(() => validate({ FunctionName: 'a' }, { FunctionName: 'b' })).not.toThrow();
  });
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
    expect(of('/Added:')).toEqual([expect.stringMatching(/^Review-Explanation\[AwsSolutions-SQS3\].*Remove it\.$/)]);
  });

  test('rejects a reason that is not a sentence', () => {
    explain(added, { S1: 'not needed' });
    expect(of('/Added:')).toContainEqual(expect.stringMatching(/^Review-Explanation\[AwsSolutions-S1\].*sentence/));
  });

  test('rejects an acknowledgement of a whole stack', () => {
    Validations.of(stacks.lake).acknowledge({ id: 'AwsSolutions-S1', reason: REASON });
    expect(of('dev-lake:')).toEqual([expect.stringContaining('would also hide findings of new resources')]);
  });
});
