import { type Check, type Deployment, type Found, list, resourcesOf } from '../template.ts';

type Statement = Record<'Action' | 'Resource' | 'Principal' | 'Condition' | 'Effect', unknown> &
  Record<string, unknown>;
type Kind = 'grant' | 'trust' | 'resource';
type Placed = { at: string; kind: Kind; type: string; statement: Statement };

/** Actions without resource-level permissions, or without a resource that could be named; each was verified. */
const WITHOUT_RESOURCE = new Set([
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
  // CodeDeploy reads all alarms of a deployment in one call.
  'cloudwatch:DescribeAlarms',
  // Has a condition, which another test checks.
  'acm:RequestCertificate',
]);
const ONLY_WITH_CONDITION = new Set(['acm:RequestCertificate']);

/** Resource policies, in which a wildcard means the resource itself. */
const ON_RESOURCES: Record<string, string> = {
  'AWS::S3::BucketPolicy': 'PolicyDocument',
  'AWS::SQS::QueuePolicy': 'PolicyDocument',
  'AWS::SNS::TopicPolicy': 'PolicyDocument',
  'AWS::KMS::Key': 'KeyPolicy',
  'AWS::Logs::ResourcePolicy': 'PolicyDocument',
};

const inDocument = (kind: Kind, { at, Type }: Found, document: { Statement?: unknown } | undefined): Placed[] =>
  list(document?.Statement).map((statement) => ({ at, kind, type: Type, statement: statement as Statement }));

const statementsOf = (deployment: Deployment): Placed[] =>
  resourcesOf(deployment).flatMap((resource) => {
    const { Type, Properties } = resource;
    if (Type === 'AWS::IAM::Role') {
      return [
        ...inDocument('trust', resource, Properties.AssumeRolePolicyDocument),
        ...list(Properties.Policies).flatMap((policy) =>
          inDocument('grant', resource, (policy as { PolicyDocument: object }).PolicyDocument),
        ),
      ];
    }
    const document = ON_RESOURCES[Type];
    return document === undefined ? [] : inDocument('resource', resource, Properties[document]);
  });

/** Roles must contain all of their permissions: a policy attached elsewhere is not visible in the role. */
export const rolesSayWhatTheyMayDo: Check = (deployment) => [
  ...resourcesOf(deployment)
    .filter(({ Type }) => /^AWS::IAM::(?:Policy|ManagedPolicy|RolePolicy|User|Group|AccessKey)$/.test(Type))
    .map(({ at, Type }) => `${at} is a ${Type}: permissions are written into roles`),
  ...resourcesOf(deployment, 'AWS::IAM::Role')
    .filter(({ Properties }) => list(Properties.ManagedPolicyArns).length > 0)
    .map(({ at }) => `${at} has a managed policy, which AWS changes when it likes`),
];

export const noWildcardGrants: Check = (deployment) =>
  statementsOf(deployment).flatMap(({ at, kind, type, statement }) => [
    ...['NotAction', 'NotResource', 'NotPrincipal']
      .filter((name) => Object.hasOwn(statement, name))
      .map((name) => `${at} says ${name}, which grants whatever will be invented`),
    ...(statement.Effect === 'Allow' ? wildcards(kind, type, statement).map((fault) => `${at} ${fault}`) : []),
  ]);

function wildcards(kind: Kind, type: string, statement: Statement): string[] {
  const actions = list(statement.Action).map(String);
  const open = actions.filter((action) => action.includes('*') && !keepsTheKeyUsable(type, statement));
  const everywhere = kind === 'grant' && list(statement.Resource).includes('*');
  return [
    ...open.map((action) => `allows ${action}`),
    ...(everywhere
      ? actions.filter((action) => !WITHOUT_RESOURCE.has(action)).map((one) => `allows ${one} on everything`)
      : []),
    ...actions
      .filter((action) => ONLY_WITH_CONDITION.has(action) && statement.Condition === undefined)
      .map((action) => `allows ${action} without a condition`),
  ];
}

/**
 * Allows the own account to administer a key, without which the key is unusable. It is AWS's default and grants no use
 * to a role.
 */
const keepsTheKeyUsable = (type: string, { Principal }: Statement): boolean =>
  type === 'AWS::KMS::Key' && /:root"/.test(JSON.stringify(Principal));

export const nobodyUnknownIsAllowed: Check = (deployment) => [
  ...statementsOf(deployment)
    .filter(({ statement }) => statement.Effect === 'Allow' && isEverybody(statement.Principal))
    .filter(({ statement }) => statement.Condition === undefined)
    .map(({ at }) => `${at} allows everybody, without a condition`),
  ...statementsOf(deployment)
    .filter(({ kind, statement }) => kind === 'trust' && !isOneService(statement.Principal))
    .map(({ at }) => `${at} can be taken on by others than one service`),
  ...resourcesOf(deployment, 'AWS::Lambda::Permission')
    .filter(({ Properties }) => Properties.SourceArn === undefined)
    .map(({ at }) => `${at} lets a service call for whoever uses it: it needs a SourceArn`),
];

const isEverybody = (principal: unknown): boolean =>
  principal === '*' || Object.values(Object(principal)).some((one) => list(one).includes('*'));

const isOneService = (principal: unknown): boolean =>
  Object.keys(Object(principal)).join() === 'Service' && list((principal as { Service: unknown }).Service).length === 1;
