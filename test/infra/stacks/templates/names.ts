import type { Resource } from './template.ts';

/**
 * Types of resources whose names must be unique in an account and region, or globally. The value is the path of the
 * property with the name.
 */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::Athena::WorkGroup': ['Name'],
  'AWS::Budgets::Budget': ['Budget', 'BudgetName'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::CodeDeploy::Application': ['ApplicationName'],
  'AWS::CodeDeploy::DeploymentGroup': ['DeploymentGroupName'],
  'AWS::DynamoDB::GlobalTable': ['TableName'],
  'AWS::Events::Rule': ['Name'],
  'AWS::Glue::Database': ['DatabaseInput', 'Name'],
  'AWS::Glue::Table': ['TableInput', 'Name'],
  'AWS::IAM::Role': ['RoleName'],
  'AWS::Kinesis::Stream': ['Name'],
  'AWS::KinesisFirehose::DeliveryStream': ['DeliveryStreamName'],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::Lambda::Function': ['FunctionName'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::SNS::Topic': ['TopicName'],
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::WAFv2::WebACL': ['Name'],
};

/** Returns type and name of a resource. Returns undefined if AWS generates the name or the type is not in `NAMED`. */
export function physicalName({ Type, Properties }: Pick<Resource, 'Type' | 'Properties'>): string | undefined {
  const path = NAMED[Type];
  if (path === undefined) return undefined;
  const name = path.reduce<unknown>((value, part) => Object(value)[part], Properties);
  return typeof name === 'string' ? `${Type} ${name}` : undefined;
}
