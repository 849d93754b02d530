import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, Fn, Stack } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import cdk from '../../../../cdk.json' with { type: 'json' };
import { synthesize } from '../../../support/stacks.ts';
import { contextOf, PREVIEW, type StageName, type Variant } from './deployments.ts';

// The validation compiles a large module first, which can take minutes on a busy machine.
describe('the validation of CDK', { timeout: 300_000 }, () => {
  test.each<[StageName, Variant]>([
    ['prod', 'with Bedrock and the user pool'],
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
