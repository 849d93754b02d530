import { setTimeout as delay } from 'node:timers/promises';
import {
  type CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { S3Client } from '@aws-sdk/client-s3';
import { formatCount } from '../cli/terminal/format.ts';
import { UserError } from '../common/user-error.ts';
import { emptyBucket } from './empty-bucket.ts';
import { permitted } from './permitted.ts';
import { describeStacks, type Preview, type PreviewStack, previewsIn, stacksOf } from './preview-stacks.ts';

export type RemovalPorts = {
  cloudFormation: CloudFormationClient;
  s3: S3Client;
  /** Writes a line about the progress. */
  report(line: string): Promise<void>;
  /** Time between two requests for the status of a stack. */
  pollMs: number;
  /** Time before a failed deletion is retried. */
  retryMs: number;
};

const ATTEMPTS_MAX = 3;
/** CloudFormation usually deletes a stack of this service within minutes, but a slow resource can take longer. */
const DELETION_MS_MAX = 3_600_000;

const IN_PROGRESS = /_IN_PROGRESS$/;
/** `REVIEW_IN_PROGRESS` means that the stack has only a change set, because its deployment did not begin. */
const DELETABLE_IN_PROGRESS = new Set(['DELETE_IN_PROGRESS', 'REVIEW_IN_PROGRESS']);

/**
 * Removes the stacks of a preview with all their data, in the reverse order of their deployment. Every step depends
 * only on the current state of the stacks, so the next run continues after an interruption.
 *
 * @throws UserError if a stack cannot be deleted, or if the tag or the name of a remaining stack is not as expected
 */
export async function removePreview(stage: string, ports: RemovalPorts): Promise<void> {
  const preview = previewsIn(await describeStacks(ports.cloudFormation)).find(({ name }) => name === stage);
  if (preview !== undefined) {
    rejectUndeletable(preview);
    for (const stack of preview.stacks.toReversed()) await removeStack(stack, ports);
  }
  const left = stacksOf(stage, await describeStacks(ports.cloudFormation));
  if (left.length > 0)
    throw new UserError(
      `These stacks remain: ${left.join(', ')}. This command deletes only stacks that have both the tag ` +
        `preview=${stage} and a name that "npm run deploy" gives. Check what they are, and delete them yourself.`,
    );
  await ports.report(
    preview === undefined
      ? `There is no stack of ${stage} in ${await ports.cloudFormation.config.region()}.`
      : `${stage} is removed. No stack of it remains.`,
  );
}

/** Runs before any stack is changed. @throws UserError if a stack is being deployed or is protected */
function rejectUndeletable({ name, stacks }: Preview): void {
  const busy = stacks.find(({ status }) => IN_PROGRESS.test(status) && !DELETABLE_IN_PROGRESS.has(status));
  if (busy !== undefined)
    throw new UserError(
      `${name} is being deployed: ${busy.name} is in ${busy.status}. ` +
        'Run the command again when the deployment has ended.',
    );
  const kept = stacks.find(({ isProtected }) => isProtected);
  if (kept !== undefined)
    throw new UserError(
      `${kept.name} has termination protection, so ${name} is not removed. Disable the protection, then run the command again.`,
    );
}

async function removeStack(stack: PreviewStack, ports: RemovalPorts): Promise<void> {
  let isBeingDeleted = stack.status === 'DELETE_IN_PROGRESS';
  for (let attempt = 1; ; attempt += 1) {
    if (!isBeingDeleted) {
      await emptyBuckets(stack, ports);
      await deleteStack(stack, ports);
    }
    await ports.report(`${stack.name}: CloudFormation deletes the stack.`);
    const reason = await failureOf(stack, ports);
    if (reason === undefined) return ports.report(`${stack.name}: deleted.`);
    if (attempt === ATTEMPTS_MAX)
      throw new UserError(
        `CloudFormation could not delete ${stack.name} in ${ATTEMPTS_MAX} attempts: ${reason} ` +
          'Correct the cause, and run the command again.',
      );
    await ports.report(`${stack.name}: attempt ${attempt} of ${ATTEMPTS_MAX} failed: ${reason}`);
    await delay(ports.retryMs);
    isBeingDeleted = false;
  }
}

/** Empties the buckets of a stack, because CloudFormation does not delete a bucket that contains objects. */
async function emptyBuckets(stack: PreviewStack, { cloudFormation, s3, report }: RemovalPorts): Promise<void> {
  for (const { ResourceType, ResourceStatus, PhysicalResourceId } of await resourcesOf(stack, cloudFormation)) {
    if (ResourceType !== 'AWS::S3::Bucket' || ResourceStatus === 'DELETE_COMPLETE' || !PhysicalResourceId) continue;
    const deleted = await emptyBucket(s3, PhysicalResourceId);
    if (deleted > 0) await report(`${stack.name}: deleted ${formatCount(deleted, 'object version')} from a bucket.`);
  }
}

async function resourcesOf({ id, name }: PreviewStack, client: CloudFormationClient): Promise<StackResourceSummary[]> {
  const pages = await permitted(
    'cloudformation:ListStackResources',
    name,
    Array.fromAsync(paginateListStackResources({ client }, { StackName: id })),
  );
  return pages.flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries);
}

/** Deletes by id, so that a newer stack of the same name is not deleted. */
async function deleteStack({ id, name }: PreviewStack, { cloudFormation }: RemovalPorts): Promise<void> {
  await permitted('cloudformation:DeleteStack', name, cloudFormation.send(new DeleteStackCommand({ StackName: id })));
}

/**
 * Waits until the deletion of a stack has succeeded or failed.
 *
 * @returns the reason that CloudFormation gives if the deletion failed; undefined if the stack is deleted
 * @throws UserError if the deletion takes longer than `DELETION_MS_MAX`
 */
async function failureOf(stack: PreviewStack, ports: RemovalPorts): Promise<string | undefined> {
  const { cloudFormation, pollMs } = ports;
  const endsAtMs = Date.now() + DELETION_MS_MAX;
  while (Date.now() < endsAtMs) {
    await delay(pollMs);
    const { Stacks: [current] = [] } = await permitted(
      'cloudformation:DescribeStacks',
      stack.name,
      // By id, because CloudFormation finds a deleted stack only by its id.
      cloudFormation.send(new DescribeStacksCommand({ StackName: stack.id })),
    );
    if (current?.StackStatus === 'DELETE_COMPLETE') return undefined;
    if (current?.StackStatus === 'DELETE_FAILED') {
      const failed = (await resourcesOf(stack, cloudFormation)).filter(
        ({ ResourceStatus }) => ResourceStatus === 'DELETE_FAILED',
      );
      const reasons = failed.map(
        ({ LogicalResourceId, ResourceStatusReason }) =>
          `${LogicalResourceId}: ${ResourceStatusReason ?? 'CloudFormation gives no reason.'}`,
      );
      return [current.StackStatusReason, ...reasons].filter((part) => part !== undefined).join(' ');
    }
  }
  throw new UserError(
    `CloudFormation has not deleted ${stack.name} within an hour. Run the command again to continue to wait.`,
  );
}
