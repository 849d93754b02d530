import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };

test('all recommended feature flags of the CDK are set, so that an upgrade must decide on new ones', () => {
  const recommended = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json');
  expect(cdk.context).toMatchObject(recommended);
});

test('synthesis sends no usage data', () => {
  expect(cdk).toMatchObject({ versionReporting: false, notices: false, context: { 'cli-telemetry': false } });
});
