import { ParamsAndSecretsVersions } from 'aws-cdk-lib/aws-lambda';
import { Fact, FactName } from 'aws-cdk-lib/region-info';
import type { Settings } from './settings.ts';

/** Settings that depend on the region. */
export type RegionSettings = {
  /**
   * Region of the deployment. The CDK CLI always sets it. It is absent if synthesis runs without the CLI, as in tests.
   */
  region?: string;
  /** ARN of the secrets extension's layer. If absent, the layer that CDK knows for the region is used. */
  secretsLayerArn?: string;
};

export const SECRETS_EXTENSION = ParamsAndSecretsVersions.V1_0_103;

const LAYER = /^arn:[\w-]+:lambda:([a-z]{2,4}(?:-[a-z]+)+-\d):\d{12}:layer:[\w-]+:\d+$/;

/**
 * Regions in which CloudFormation has `AWS::Budgets::Budget` (CloudFormation's resource specifications by region,
 * November 2026).
 */
const WITH_BUDGETS = new Set([
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2', 'ca-central-1'],
  ...['cn-north-1', 'cn-northwest-1', 'eu-central-1', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'me-south-1'],
  ...['sa-east-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
]);

/**
 * Reads `secretsLayerArn` from CDK context. If CDK does not know the layer of the region, the setting is required. CDK
 * itself would fail only later, at the first function.
 *
 * @param region region of the deployment
 * @throws Error with a message for the operator
 */
export function parseRegionSettings(context: Settings, region: string | undefined): RegionSettings {
  const arn = context('secretsLayerArn');
  if (arn === undefined) {
    if (region !== undefined) requireKnownLayer(region);
    return { ...(region !== undefined && { region }) };
  }
  const [, regionOfLayer] = (typeof arn === 'string' && LAYER.exec(arn)) || [];
  if (regionOfLayer === undefined) {
    throw new Error(
      `secretsLayerArn: must be the ARN of a layer version such as ${exampleOf(region ?? 'eu-central-2')}.`,
    );
  }
  if (region !== undefined && regionOfLayer !== region) {
    throw new Error(`secretsLayerArn: the layer is in ${regionOfLayer}, but the deployment is in ${region}.`);
  }
  return { ...(region !== undefined && { region }), secretsLayerArn: String(arn) };
}

function requireKnownLayer(region: string): void {
  if (Fact.find(region, FactName.paramsAndSecretsLambdaLayer(SECRETS_EXTENSION, 'arm64')) !== undefined) return;
  throw new Error(
    `CDK does not know the layer of the AWS Parameters and Secrets Lambda Extension in ${region}. Set the ` +
      `layer's ARN for arm64 with -c secretsLayerArn=${exampleOf(region)}. ` +
      'The Systems Manager User Guide lists the ARNs under "Using Parameter Store parameters in AWS Lambda functions".',
  );
}

const exampleOf = (region: string): string =>
  `arn:aws:lambda:${region}:ACCOUNT:layer:AWS-Parameters-and-Secrets-Lambda-Extension-Arm64:VERSION`;

/**
 * Whether a stack may contain a budget. CloudFormation rejects a whole stack if the region does not support one of its
 * resource types. Returns true if the region is absent.
 */
export const hasBudgets = ({ region }: RegionSettings): boolean => region === undefined || WITH_BUDGETS.has(region);
