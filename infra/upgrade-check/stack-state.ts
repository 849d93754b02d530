import type { Problem } from './template-changes.ts';

/** Whether a deployment can update a stack. */
export type StackState =
  | { kind: 'updatable' }
  /** The deployment creates the stack. */
  | { kind: 'not deployed' }
  | { kind: 'blocked'; problem: Problem };

type Blocked = { statuses: RegExp; reason: string; advice: (stackName: string) => string };

/** Statuses in which CloudFormation rejects updates of a stack. */
const BLOCKED: readonly Blocked[] = [
  {
    statuses: /^ROLLBACK_(?:COMPLETE|FAILED)$/,
    reason: 'The first deployment of this stack failed and was rolled back. CloudFormation cannot update it.',
    advice: (name) =>
      `Find the cause with "aws cloudformation describe-stack-events --stack-name ${name}". ` +
      'After the repair, "npm run deploy" deletes this stack and creates it again.',
  },
  {
    statuses: /^CREATE_FAILED$/,
    reason: 'The first deployment of this stack failed and was not rolled back.',
    advice: (name) => `Run "npx cdk rollback ${name}" with the settings of the stage, then deploy again.`,
  },
  {
    statuses: /_IN_PROGRESS$/,
    reason: 'CloudFormation is working on this stack and rejects updates.',
    advice: (name) =>
      'Wait until the operation has finished, then run this check again. ' +
      `"aws cloudformation describe-stack-events --stack-name ${name}" shows the progress.`,
  },
  {
    statuses: /^UPDATE_ROLLBACK_FAILED$/,
    reason: 'The last update failed, and so did its rollback.',
    advice: (name) =>
      `Find the cause with "aws cloudformation describe-stack-events --stack-name ${name}", remove it, then run ` +
      `"aws cloudformation continue-update-rollback --stack-name ${name}".`,
  },
  {
    statuses: /^UPDATE_FAILED$/,
    reason: 'The last update failed and was not rolled back.',
    advice: (name) => `Run "npx cdk rollback ${name}" with the settings of the stage, then deploy again.`,
  },
  {
    statuses: /^DELETE_FAILED$/,
    reason: 'The deletion of this stack failed.',
    advice: (name) =>
      `Find the cause with "aws cloudformation describe-stack-events --stack-name ${name}", then finish the deletion ` +
      `with "aws cloudformation delete-stack --stack-name ${name}".`,
  },
  {
    statuses: /_FAILED$/,
    reason: 'The last operation on this stack failed.',
    advice: (name) => `Find the cause with "aws cloudformation describe-stack-events --stack-name ${name}".`,
  },
];

/** @param status of the stack; undefined if the stack does not exist */
export function stackState(name: string, status: string | undefined): StackState {
  // A stack in REVIEW_IN_PROGRESS has a change set, but no resources yet.
  if (status === undefined || status === 'REVIEW_IN_PROGRESS') return { kind: 'not deployed' };
  const blocked = BLOCKED.find(({ statuses }) => statuses.test(status));
  if (blocked === undefined) return { kind: 'updatable' };
  const problem = { where: `${name} is in ${status}`, reason: blocked.reason, advice: blocked.advice(name) };
  return { kind: 'blocked', problem };
}
