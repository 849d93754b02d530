import * as z from 'zod/mini';

/** The outputs of all stacks, as the CDK CLI writes them: by stack, then by name. */
const Outputs = z.record(z.string(), z.record(z.string(), z.string()));

/** Outputs whose value is a command that an operator runs once. */
const COMMAND = /^(Fill|Limit|Count|Watch)[A-Z]/;

/**
 * Formats the address of the API, and the commands that an operator runs after a deployment.
 *
 * @param outputs the parsed file with the outputs
 */
export function nextSteps(outputs: unknown, stage: string): string {
  const all = Object.values(Outputs.parse(outputs)).flatMap((ofStack) => Object.entries(ofStack));
  const address = all.find(([name]) => name === 'ApiAddress')?.[1];
  const commands = all.flatMap(([name, value]) => (COMMAND.test(name) ? [`  ${value}`] : []));
  return [
    ...(address === undefined ? [] : [`The API is at ${address}`, '']),
    ...(commands.length > 0 ? ['If you have not done so for this stage, run once:', ...commands, ''] : []),
    'If alarmMail is new, confirm the subscription with the link in the mail from AWS.',
    `To check the deployment: npm run smoke -- --stage ${stage} --funnel ID`,
    'All steps: docs/operations.md#deploy-for-the-first-time',
  ].join('\n');
}
