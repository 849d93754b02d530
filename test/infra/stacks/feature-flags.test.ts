import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };

test('the CDK behaves as it recommends today: an upgrade of the library has to decide about new flags', () => {
  const recommended = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json');
  expect(cdk.context).toMatchObject(recommended);
});

test('synthesis sends nothing anywhere', () => {
  expect(cdk).toMatchObject({ versionReporting: false, notices: false, context: { 'cli-telemetry': false } });
});
