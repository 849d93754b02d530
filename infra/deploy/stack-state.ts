/** Why CloudFormation rejects updates of a stack, and what to do. */
export type BlockedStack = {
  reason: string;
  advice: string;
  /** Whether `npm run deploy` can deploy the stack nevertheless, because it waits for the stack or replaces it. */
  canDeploy: boolean;
};

/** Formats a command of the AWS CLI. @param words without `aws` */
type AwsCommand = (words: string) => string;

type Blocked = {
  statuses: RegExp;
  reason: string;
  advice(stackName: string, aws: AwsCommand): string;
  canDeploy?: true;
};

const events = (stackName: string) => `cloudformation describe-stack-events --stack-name ${stackName}`;

/** Statuses in which CloudFormation rejects updates of a stack. */
const BLOCKED: readonly Blocked[] = [
  {
    statuses: /^ROLLBACK_(?:COMPLETE|FAILED)$/,
    reason: 'The first deployment of this stack failed. CloudFormation cannot update the stack.',
    advice: (name, aws) =>
      `Find the cause with "${aws(events(name))}", and remove it. ` +
      'Then "npm run deploy" deletes this stack and creates it again.',
    canDeploy: true,
  },
  {
    statuses: /_IN_PROGRESS$/,
    reason: 'CloudFormation is working on this stack and rejects updates.',
    advice: (name, aws) =>
      `Wait until the operation has finished, then run this check again. "${aws(events(name))}" shows the progress.`,
    canDeploy: true,
  },
  {
    statuses: /^(?:CREATE|UPDATE)_FAILED$/,
    reason: 'The last deployment of this stack failed and was not rolled back.',
    advice: (name) => `Run "npx cdk rollback ${name}" with the settings of the stage, then deploy again.`,
  },
  {
    statuses: /^UPDATE_ROLLBACK_FAILED$/,
    reason: 'The last update failed, and so did its rollback.',
    advice: (name, aws) =>
      `Find the cause with "${aws(events(name))}", remove it, then run ` +
      `"${aws(`cloudformation continue-update-rollback --stack-name ${name}`)}".`,
  },
  {
    statuses: /^DELETE_FAILED$/,
    reason: 'The deletion of this stack failed.',
    advice: (name, aws) =>
      `Find the cause with "${aws(events(name))}", then finish the deletion with ` +
      `"${aws(`cloudformation delete-stack --stack-name ${name}`)}".`,
  },
  {
    statuses: /_FAILED$/,
    reason: 'The last operation on this stack failed.',
    advice: (name, aws) => `Find the cause with "${aws(events(name))}".`,
  },
];

/** Returns why a stack with this status cannot be updated; undefined if it can be updated or created. */
export function blockedStack(name: string, status: string, aws: AwsCommand): BlockedStack | undefined {
  if (isNotDeployed(status)) return undefined;
  const blocked = BLOCKED.find(({ statuses }) => statuses.test(status));
  if (blocked === undefined) return undefined;
  const { reason, advice, canDeploy = false } = blocked;
  return { reason, advice: advice(name, aws), canDeploy };
}

/**
 * Whether a deployment creates the stack. A stack in REVIEW_IN_PROGRESS has a change set, but no resources yet.
 *
 * @param status undefined if the stack does not exist
 */
export const isNotDeployed = (status: string | undefined): boolean =>
  status === undefined || status === 'REVIEW_IN_PROGRESS';
