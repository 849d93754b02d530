import * as z from 'zod/mini';

/** The outputs of all stacks, as the CDK CLI writes them. Outer keys: stack names. Inner keys: output names. */
export const Outputs = z.record(z.string(), z.record(z.string(), z.string()));

/** Outputs whose value is a command that an operator runs once. */
const COMMAND = /^(Fill|Limit|Count|Watch)[A-Z]/;

/**
 * Formats the addresses of the API and the page client, and the commands that an operator runs after a deployment.
 */
export function nextSteps(outputs: z.infer<typeof Outputs>, stage: string): string {
  const all = Object.values(outputs).flatMap((ofStack) => Object.entries(ofStack));
  const findOutput = (wanted: string) => all.find(([name]) => name === wanted)?.[1];
  const [address, client] = [findOutput('ApiAddress'), findOutput('PageClientAddress')];
  const commands = all.flatMap(([name, value]) => (COMMAND.test(name) ? [`  ${value}`] : []));
  return [
    ...(address === undefined ? [] : [`The API is at ${address}`]),
    ...(client === undefined ? [] : [`The page client is at ${client}`]),
    '',
    ...(commands.length > 0
      ? ['Run each of these commands once for the stage, unless you have already run it:', ...commands, '']
      : []),
    'If you have set or changed alarmMail, confirm the subscription with the link in the mail from AWS.',
    `To check the deployment: npm run smoke -- --stage ${stage} --funnel ID`,
    'All steps: docs/operations.md#deploy-for-the-first-time',
  ].join('\n');
}
