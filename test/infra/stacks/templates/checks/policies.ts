import { type Check, type Deployment, type Found, list, resourcesOf } from '../template.ts';

type Statement = { Effect?: string; Action?: unknown; Principal?: unknown; Condition?: unknown };
type Located = { at: string; type: string; statement: Statement };

/**
 * For each type of resource: the property that contains its policy. In such a policy, `*` means the resource itself.
 */
const DOCUMENTS: Record<string, string> = {
  'AWS::IAM::Role': 'AssumeRolePolicyDocument',
  'AWS::S3::BucketPolicy': 'PolicyDocument',
  'AWS::SQS::QueuePolicy': 'PolicyDocument',
  'AWS::SNS::TopicPolicy': 'PolicyDocument',
  'AWS::KMS::Key': 'KeyPolicy',
  'AWS::Logs::ResourcePolicy': 'PolicyDocument',
};

/** Statements with the effect `Allow` in policies of resources and in trust policies of roles. */
const allowingStatements = (deployment: Deployment): Located[] =>
  resourcesOf(deployment).flatMap(({ at, Type, Properties }) => {
    const document = DOCUMENTS[Type];
    const statements = document === undefined ? [] : list(Properties[document]?.Statement);
    return statements
      .map((statement) => ({ at, type: Type, statement: statement as Statement }))
      .filter(({ statement }) => statement.Effect === 'Allow');
  });

export const checkPrincipals: Check = (deployment) => {
  const statements = allowingStatements(deployment);
  return [
    ...statements
      .filter(({ statement }) => statement.Condition === undefined && isEveryone(statement.Principal))
      .map(({ at }) => `${at} allows every principal, without a condition`),
    ...statements
      .filter(({ type, statement }) => type === 'AWS::IAM::Role' && !isOneService(statement.Principal))
      .map(({ at }) => `${at} can be assumed by others than one service`),
    ...statements.flatMap(({ at, type, statement }) =>
      isKeyAdministration(type, statement) ? [] : wildcardActions(statement).map((action) => `${at} allows ${action}`),
    ),
    ...resourcesOf(deployment, 'AWS::Lambda::Permission')
      .filter(({ Properties }) => Properties.SourceArn === undefined)
      .map(({ at }) => `${at} has no SourceArn: the service could invoke the function on behalf of any account`),
  ];
};

const isEveryone = (principal: unknown): boolean =>
  principal === '*' || Object.values(Object(principal)).some((one) => list(one).includes('*'));

const isOneService = (principal: unknown): boolean =>
  Object.keys(Object(principal)).join() === 'Service' && list((principal as { Service: unknown }).Service).length === 1;

const wildcardActions = ({ Action }: Statement): string[] =>
  list(Action)
    .map(String)
    .filter((action) => action.includes('*'));

/**
 * Whether this is AWS's default statement in the policy of a KMS key. It lets the account administer the key. Without
 * this statement, IAM policies cannot grant access to the key.
 */
const isKeyAdministration = (type: Found['Type'], { Principal }: Statement): boolean =>
  type === 'AWS::KMS::Key' && /:root"/.test(JSON.stringify(Principal));
