// biome-ignore lint/suspicious/noExplicitAny: CDK has checked the properties of all resource types
type Properties = Record<string, any>;

/** A type of resources with content that a deployment cannot create again. */
type StatefulType = {
  /** Returns the critical properties. If one of them changes, the resource or its content can be lost. */
  keys: (properties: Properties) => unknown;
  /** Whether a change of critical properties keeps the content. If absent, every such change loses the content. */
  keepsContent?: (before: Properties, after: Properties) => boolean;
  /** What is lost with the resource. */
  lost: string;
};

const only =
  (...names: string[]) =>
  (properties: Properties): unknown =>
    Object.fromEntries(names.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]]])));

const tableKeys = ({ TableName, KeySchema = [], AttributeDefinitions = [] }: Properties): unknown => {
  const keys = KeySchema.map(({ AttributeName, KeyType }: Record<string, string>) => {
    const { AttributeType } = AttributeDefinitions.find((one: Properties) => one.AttributeName === AttributeName) ?? {};
    return `${KeyType} ${AttributeName} ${AttributeType}`;
  });
  return { ...(TableName !== undefined && { TableName }), keys };
};

/** Templates retain the resources of these types, but a deployment can create such resources again. */
export const RECREATED_TYPES: readonly string[] = ['AWS::Lambda::Version', 'AWS::Lambda::LayerVersion'];

export const STATEFUL_TYPES: Readonly<Record<string, StatefulType>> = {
  'AWS::DynamoDB::GlobalTable': {
    keys: tableKeys,
    lost: 'the service would use a new, empty table, and no longer read the items of the old one',
  },
  'AWS::S3::Bucket': {
    keys: only('BucketName', 'ObjectLockEnabled'),
    lost: 'the service would use a new, empty bucket, and no longer read the files of the old one',
  },
  'AWS::Kinesis::Stream': {
    keys: only('Name', 'RetentionPeriodHours'),
    keepsContent: (before, after) =>
      before.Name === after.Name && after.RetentionPeriodHours >= before.RetentionPeriodHours,
    lost: 'acknowledged events that no consumer has read yet would be lost',
  },
  'AWS::Cognito::UserPool': {
    keys: only('UsernameAttributes', 'AliasAttributes', 'UsernameConfiguration'),
    lost: 'all accounts would be lost, and all memberships, because user ids derive from the issuer',
  },
  'AWS::Cognito::UserPoolClient': {
    keys: only('GenerateSecret'),
    lost: 'tokens would have another audience, and every client would need a new configuration',
  },
  'AWS::SecretsManager::Secret': {
    keys: only('Name', 'GenerateSecretString'),
    lost: 'a key that an operator set would be lost, and handles and codes that derive from the value would be invalid',
  },
  'AWS::Logs::LogGroup': {
    keys: only('LogGroupName'),
    lost: 'queries would no longer find old log lines',
  },
  'AWS::SQS::Queue': {
    keys: only('QueueName', 'FifoQueue'),
    lost: 'failed events that were not handled yet would be lost',
  },
  'AWS::SNS::Topic': {
    keys: only('TopicName'),
    lost: 'confirmed subscribers would no longer receive alarms',
  },
  'AWS::KMS::Key': {
    keys: only('KeySpec', 'MultiRegion'),
    lost: 'data that is encrypted with the key would be unreadable',
  },
  'AWS::ApiGateway::RestApi': {
    keys: () => ({}),
    lost: 'the address of the API would change, and published pages would lose leads',
  },
  'AWS::ApiGateway::DomainName': {
    keys: only('DomainName'),
    lost: 'the hostname of the API would not resolve during the replacement',
  },
  'AWS::CloudFront::Distribution': {
    keys: () => ({}),
    lost: 'the address of the page client would change, and published pages could not load it',
  },
  'AWS::Glue::Database': {
    keys: ({ DatabaseInput }) => ({ Name: DatabaseInput?.Name }),
    lost: 'views that analysts have saved would be lost',
  },
  'AWS::Athena::WorkGroup': {
    keys: only('Name'),
    lost: 'the query history and the saved queries of analysts would be lost',
  },
};
