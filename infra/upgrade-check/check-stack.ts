import { type CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { tryParseJson } from '../common/parse-json.ts';
import { describedStack } from '../deploy/cloud-formation.ts';
import { blockedStack, isNotDeployed } from '../deploy/stack-state.ts';
import { orProblem } from './rejected-calls.ts';
import type { NextStack } from './synthesize.ts';
import { type Change, type Problem, stackChanges, type Template } from './template-changes.ts';

/** What a deployment would do to one stack. */
export type CheckedStack = {
  name: string;
  /** The status in CloudFormation; undefined if the stack is not deployed yet or could not be read. */
  status: string | undefined;
  /** Whether the stack exists and can be updated, so that its drift can be detected. */
  isUpdatable: boolean;
  isNew: boolean;
  changes: readonly Change[];
  problems: readonly Problem[];
};

export async function checkStack(cloudFormation: CloudFormationClient, next: NextStack): Promise<CheckedStack> {
  const { name } = next;
  const unknown = { name, status: undefined, isUpdatable: false, isNew: false, changes: [], problems: [] };
  const found = await orProblem(name, ['DescribeStacks'], async () => ({
    stack: await describedStack(cloudFormation, name),
  }));
  if ('problem' in found) return { ...unknown, problems: [found.problem] };
  const status = found.stack?.StackStatus;
  if (status === undefined || isNotDeployed(status)) return { ...unknown, isNew: true };
  const blocked = blockedStack(name, status, (words) => `aws ${words}`);
  if (blocked !== undefined) {
    const { reason, advice } = blocked;
    return { ...unknown, status, problems: [{ where: `${name} is in ${status}`, reason, advice }] };
  }
  const deployed = await orProblem(name, ['GetTemplate'], () => deployedTemplate(cloudFormation, name));
  if ('problem' in deployed) return { ...unknown, status, isUpdatable: true, problems: [deployed.problem] };
  const { changes, losses } = stackChanges(name, deployed.template, next.template);
  return { ...unknown, status, isUpdatable: true, changes, problems: losses };
}

async function deployedTemplate(
  cloudFormation: CloudFormationClient,
  name: string,
): Promise<{ template: Template } | { problem: Problem }> {
  const { TemplateBody } = await cloudFormation.send(
    // `Original` is the template as it was deployed. A processed template would also contain the results of macros.
    new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }),
  );
  const template = tryParseJson(TemplateBody ?? '');
  if (typeof template === 'object' && template !== null) return { template: { ...template } };
  const reason = 'The deployed template is not JSON, so "npm run deploy" has not deployed it.';
  return { problem: { where: name, reason, advice: 'Find out who has deployed this stack, and from which source.' } };
}
