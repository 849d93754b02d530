import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };

test('all feature flags that the CDK recommends are set to the recommended value', () => {
  const recommended = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json');
  expect(cdk.context).toMatchObject(recommended);
});

test('cdk.json disables version reporting, notices and telemetry', () => {
  expect(cdk).toMatchObject({ versionReporting: false, notices: false, context: { 'cli-telemetry': false } });
});
