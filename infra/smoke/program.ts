import type { Command } from 'commander';
import type { CliContext } from '../cli/cli-context.ts';
import { addEnvironmentOptions } from '../cli/environment/environment-options.ts';
import { parseUuid } from '../cli/program/parameters.ts';
import { createSingleCommand, runProgram } from '../cli/program/single-command.ts';
import type { OnInterrupt } from '../cli/terminal/interrupts.ts';
import { printableLine } from '../cli/terminal/printable.ts';
import { UserError } from '../common/user-error.ts';
import { foreignOrganization, streamedReply, unknownPaths } from './api-checks.ts';
import { type Check, type Result, resultsOf } from './check.ts';
import { eventCheck } from './event-check.ts';
import { leadChecks } from './lead-checks.ts';
import { storeCheck } from './store-check.ts';
import { type Target, type TargetOptions, targetOf } from './target.ts';

/** Time limit for all checks together, except the clean-up. The clean-up has up to 20 seconds more (`check.ts`). */
const ALL_MS = 45_000;

const ABOUT = `
Without --stage, checks the service that "npm start" runs in another terminal.
With --stage, checks the deployment of this stage. Run the command with --stage
after each deployment.

The checks call the API as browsers do. They store and delete two small files in
the uploads bucket, request an AI reply, and send an analytics event. They submit
a lead with the e-mail address of the mailbox simulator of SES, send a
verification code to this address, and erase the lead.

Most checks need a funnel. The check of the event also needs a token. The check
that a route of an unknown organization returns 403 needs only a token.
Checks without the funnel or token that they need are skipped.

The command prints a line per check: pass, skip, or FAIL. Below a skipped check,
it prints the reason. Below a failed check, it prints the reason and what to do.
At the end, it prints what the checks created. The checks take at most
65 seconds. The exit code is 1 if a check failed. A skipped check does not change
the exit code.

A run can leave one session in the analytics of the funnel. For a deployment,
create a separate organization and funnel for the checks.`;

/**
 * Runs a short end-to-end test of the local service or, with --stage, of a deployment.
 *
 * @param args arguments without node and the script
 * @returns the exit code: 0 if no check failed, 1 for a failure, 2 for wrong usage
 */
export const runSmoke = (args: readonly string[], admin: CliContext): Promise<number> =>
  runProgram(programOf(admin), args, admin.terminal);

const programOf = ({ terminal, connect }: CliContext): Command =>
  addEnvironmentOptions(createSingleCommand('npm run smoke --', terminal))
    .description('Runs a short smoke test against the local service or, with --stage, a deployment.')
    .option(
      '--funnel <id>',
      'id of a published funnel, for the checks that need one; ' +
        'see "npm run admin -- funnels list" (default without --stage: the demo funnel)',
      parseUuid('funnel'),
    )
    .option(
      '--token <token>',
      "access token of a member of the funnel's organization " +
        '(default: the environment variable SMOKE_TOKEN; if neither SMOKE_TOKEN nor --stage is given, a token of the demo)',
    )
    .addHelpText('after', ABOUT)
    .action(async (options: TargetOptions) => {
      const endsAtMs = Date.now() + ALL_MS;
      const target = await targetOf(options, await connect(options));
      await terminal.write(`Checking ${target.api}\n`);
      const created = new Map<string, string>();
      const counts = { pass: 0, skip: 0, fail: 0 };
      for await (const result of resultsOf(checksOf(target, created, terminal.onInterrupt), endsAtMs)) {
        counts[result.outcome]++;
        await terminal.write(linesOf(result));
      }
      for (const [what, fate] of created) await terminal.write(`Created: ${what} (${fate}).\n`);
      await terminal.write(`${counts.pass} passed, ${counts.skip} skipped, ${counts.fail} failed\n`);
      if (counts.fail > 0) throw new UserError('The smoke test failed. See the advice below each failed check.');
    });

/** The checks of the lead run last, because their clean-up may end after the deadline of the other checks. */
function checksOf(target: Target, created: Map<string, string>, onInterrupt: OnInterrupt | undefined): Check[] {
  return [
    ...[storeCheck, unknownPaths(target), foreignOrganization(target), streamedReply(target)],
    ...[eventCheck(target, created), ...leadChecks(target, created, onInterrupt)],
  ];
}

function linesOf(result: Result): string {
  if (result.outcome === 'pass') return `pass  ${result.name}\n`;
  if (result.outcome === 'skip') return `skip  ${result.name}\n      ${printableLine(result.reason)}\n`;
  return `FAIL  ${result.name}\n      ${printableLine(result.reason)}\n      ${result.advice}\n`;
}
