import { isDeepStrictEqual } from 'node:util';
import { type Deployment, type Found, resourcesOf } from './template.ts';

type Properties = Found['Properties'];
type Kind = {
  /** Properties whose change makes CloudFormation replace the resource or delete its content. */
  keys: (properties: Properties) => unknown;
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

/** Resources with content that a deployment cannot create again. */
const KINDS: Readonly<Record<string, Kind>> = {
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
  'AWS::Glue::Database': {
    keys: ({ DatabaseInput }) => ({ Name: DatabaseInput?.Name }),
    lost: 'views that analysts have saved would be lost',
  },
  'AWS::Athena::WorkGroup': {
    keys: only('Name'),
    lost: 'the query history and the saved queries of analysts would be lost',
  },
};

/** Whether a type is stateful. A test checks that no other type is retained. */
export const isStateful = (type: string): boolean => Object.hasOwn(KINDS, type);

/** Stateful resources, by the kind of their stack and by their logical id. */
export type Pinned = Record<string, Record<string, { type: string; keys: unknown }>>;

const kindOf = (stack: string): string => stack.split('-').at(-1) ?? '';

/** Returns the stateful resources of a deployment, with the properties that must not change. */
export function statefulIn(deployment: Deployment): Pinned {
  const pinned: Pinned = {};
  for (const { stack, id, Type, Properties } of resourcesOf(deployment)) {
    const kind = KINDS[Type];
    if (kind === undefined) continue;
    const name = kindOf(stack.name);
    pinned[name] = { ...pinned[name], [id]: { type: Type, keys: JSON.parse(JSON.stringify(kind.keys(Properties))) } };
  }
  return pinned;
}

/** Returns one message for each stateful resource that an upgrade would lose. */
export const lostBy = (pinned: Pinned, now: Pinned): string[] =>
  Object.entries(pinned).flatMap(([stack, resources]) =>
    Object.entries(resources).flatMap(([id, { type, keys }]) => {
      const found = now[stack]?.[id];
      const says = (what: string) => [`${stack}: ${id} (${type}) ${what}: ${KINDS[type]?.lost}.`];
      if (found === undefined) return says('is missing or has another logical id');
      if (found.type !== type) return says(`has become a ${found.type}`);
      return isDeepStrictEqual(found.keys, keys) ? [] : says(`would be replaced, by ${JSON.stringify(found.keys)}`);
    }),
  );

/** Returns one message for each stateful resource that is not listed yet. */
export const newIn = (pinned: Pinned, now: Pinned): string[] =>
  Object.entries(now).flatMap(([stack, resources]) =>
    Object.entries(resources)
      .filter(([id]) => pinned[stack]?.[id] === undefined)
      .map(([id, one]) => `New in ${stack}. No data is lost. Add to the list: "${id}": ${JSON.stringify(one)}`),
  );
