import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { createSingleCommand, runProgram } from '../cli/program/single-command.ts';
import type { Terminal } from '../cli/terminal/terminal.ts';
import { UserError } from '../common/user-error.ts';
import { deployArgumentsOf } from '../deploy/arguments.ts';
import { settingsHelp } from '../settings/settings.ts';
import type { Stage } from '../settings/stages.ts';
import { type Aws, connectToAws, findRegion } from './aws.ts';
import { type Check, notChecked, type Result, resultOf } from './check.ts';
import { ACCOUNT, account, bootstrap, regionMissing, stacks } from './checks/account.ts';
import { apiCertificate, hostname, logRole, webCertificate } from './checks/api.ts';
import { eventStream, logGroups } from './checks/data.ts';
import { concurrency, duckdbLayer } from './checks/functions.ts';
import { mailSandbox, mailSender, smsSandbox, smsSender, smsSpending } from './checks/messages.ts';
import { textModels } from './checks/models.ts';
import { type Plan, planOf, stageOf } from './plan.ts';
import { blocks, problemsText, tableOf } from './report.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const ABOUT = `
Run this command before the first deployment, with the settings that you will
give to "npm run deploy". The command needs AWS credentials and a region
(AWS_REGION, or the region of the profile), changes nothing, and takes less than
a minute.

The command prints a table with the result of each check. Below the table, it
prints how to solve each problem. The exit code is 1 if the deployment would fail.
A check that could not run is reported as "not checked", and does not change the
exit code.

${settingsHelp()}`;

/**
 * Checks whether an account is ready for a deployment.
 *
 * @param args arguments without node and the script
 * @param dist folder of the built DuckDB layer
 * @returns the exit code: 1 if the deployment would fail or this command fails, 2 for a usage error, otherwise 0
 */
export const runDoctor = (args: readonly string[], terminal: Terminal, dist = join(ROOT, 'dist')): Promise<number> =>
  runProgram(programOf(args, terminal, dist), args, terminal);

const programOf = (args: readonly string[], terminal: Terminal, dist: string): Command =>
  createSingleCommand('npm run doctor --', terminal)
    .description('Checks whether the AWS account is ready for a deployment, and shows how to fix problems.')
    .option('--stage <name>', 'stage to deploy: dev (default), prod, or the name of a preview stage, such as pr-123')
    // Parsed by `deployArgumentsOf`, so that `npm run deploy` reads the same values.
    .addOption(new Option('-c, --context <name=value>', 'value of a setting of the deployment, see below; repeatable'))
    .option(
      '--expires <time>',
      'only for a preview stage: days or hours from the deployment until the stage expires, such as 3d or 12h ' +
        '(default: 7d, maximum: 90d)',
    )
    .option('--profile <name>', 'profile of the AWS CLI whose credentials to use')
    .addHelpText('after', ABOUT)
    .action(async () => {
      const { context, profile } = deployArgumentsOf(args);
      const region = await findRegion(profile);
      const stage = stageOf(context, region);
      await terminal.write(`Checking the account for the stage ${stage.name}. Nothing is created or changed.\n\n`);
      const aws = region === undefined ? undefined : connectToAws(region, profile);
      const results = await resultsOf(stage, planOf(context), dist, aws);
      await terminal.write(`${tableOf(results, terminal.columns)}${problemsText(results, terminal.columns)}`);
      if (results.some(blocks))
        throw new UserError('The deployment would fail. Fix the problems above, then run npm run doctor again.');
    });

/** Checks the credentials before anything else in AWS, because all other checks in AWS need them. */
export async function resultsOf(stage: Stage, plan: Plan, dist: string, aws: Aws | undefined): Promise<Result[]> {
  const layer = resultOf(duckdbLayer(dist));
  if (aws === undefined) return [{ name: ACCOUNT, ...regionMissing() }, await layer];
  const first = await resultOf(account(aws));
  const others = await Promise.all(
    checksOf(stage, plan, aws).map((check) =>
      first.status === 'problem'
        ? { name: check.name, ...notChecked('This check needs valid credentials.') }
        : resultOf(check),
    ),
  );
  return [first, await layer, ...others];
}

/** Returns the checks in AWS for the settings of the stage, except the check of the credentials. */
function checksOf(stage: Stage, plan: Plan, aws: Aws): Check[] {
  const { ai, domain, messages, watch, webDomain } = stage;
  return [
    ...[
      bootstrap(aws, plan),
      stacks(aws, stage),
      logGroups(aws, stage, plan),
      concurrency(aws, plan),
      eventStream(aws, stage),
    ],
    ...(plan.writesAccessLogs ? [logRole(aws)] : []),
    ...(domain === undefined ? [] : [apiCertificate(aws, domain), hostname(aws, stage, domain)]),
    ...(webDomain === undefined ? [] : [webCertificate(aws, webDomain)]),
    ...(messages.mailFrom === undefined ? [] : [mailSender(aws, messages.mailFrom), mailSandbox(aws)]),
    ...(messages.smsSender === undefined
      ? []
      : [smsSender(aws, messages.smsSender), smsSandbox(aws), smsSpending(aws, watch.monthlySmsUsd)]),
    ...(ai.provider === 'bedrock' ? [textModels(aws, ai.models)] : []),
  ];
}
