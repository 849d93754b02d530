import { type CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import { describedStack } from './cloud-formation.ts';

/** Runs `cdk deploy` without termination protection for these stacks, and returns its exit code. */
export type RunCdk = (unprotectedStacks: readonly string[]) => Promise<number>;

type Deployment = {
  cloudFormation: CloudFormationClient;
  runCdk: RunCdk;
  /** The stacks to protect; empty if the stage has no termination protection. */
  protectedStacks: readonly string[];
};

/**
 * Statuses of a stack before its first successful deployment, and after the beginning of its deletion. If the first
 * deployment was rolled back, the CDK CLI deletes the stack before the next deployment.
 */
const NEVER_DEPLOYED = /^(?:REVIEW_IN_PROGRESS|CREATE_IN_PROGRESS|CREATE_FAILED|ROLLBACK_\w+|DELETE_\w+)$/;

/**
 * Deploys so that a failed first deployment can be retried. The CDK CLI would protect a stack before its first
 * deployment has succeeded, but a retry must delete the stack of the failed attempt. This function therefore protects a
 * stack only after its first deployment has succeeded.
 *
 * Every step depends only on the current state of the stacks. After a crash, the next run therefore continues the work.
 *
 * @returns the exit code of `cdk deploy`
 */
export async function deploy({ cloudFormation, runCdk, protectedStacks }: Deployment): Promise<number> {
  const states = await Promise.all(protectedStacks.map((name) => stateOf(cloudFormation, name)));
  const unprotected = states.filter(({ isDeployed }) => !isDeployed);
  for (const { name, isProtected } of unprotected) {
    if (isProtected) await setProtection(cloudFormation, name, false);
  }
  const code = await runCdk(unprotected.map(({ name }) => name));
  // Protect stacks even if `cdk deploy` failed, because it may have deployed some stacks before the failure.
  for (const { name } of unprotected) {
    const { isDeployed, isProtected } = await stateOf(cloudFormation, name);
    if (isDeployed && !isProtected) await setProtection(cloudFormation, name, true);
  }
  return code;
}

type StackState = { name: string; isDeployed: boolean; isProtected: boolean };

async function stateOf(cloudFormation: CloudFormationClient, name: string): Promise<StackState> {
  const stack = await describedStack(cloudFormation, name);
  return {
    name,
    isDeployed: stack?.StackStatus !== undefined && !NEVER_DEPLOYED.test(stack.StackStatus),
    isProtected: stack?.EnableTerminationProtection === true,
  };
}

async function setProtection(cloudFormation: CloudFormationClient, name: string, isProtected: boolean): Promise<void> {
  await cloudFormation.send(
    new UpdateTerminationProtectionCommand({ StackName: name, EnableTerminationProtection: isProtected }),
  );
}
