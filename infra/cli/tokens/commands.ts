import type { Command } from 'commander';
import { UserError } from '../../common/user-error.ts';
import { HOURS_OF_LIFE } from '../../local/oidc/issuer.ts';
import type { CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { subjectOf } from '../members/user-options.ts';
import { parseCount } from '../program/options.ts';
import { type IssueOptions, issue } from './issue.ts';

/** `tokens issue`: what callers of organization routes show, from the issuer on this machine. */
export const tokens: CommandGroup = (program, { terminal, connect }) => {
  const group = program
    .command('tokens')
    .description('Access tokens of this machine: issue one for any subject.')
    .helpCommand(false);
  group
    .command('issue')
    .description('Puts out a token, by which whoever holds it acts as the subject.')
    .requiredOption('--subject <sub>', 'whom it stands for; members add gives them something to do', subjectOf)
    .option('--hours <count>', 'how long it is good for', parseCount(1, 24 * 365), HOURS_OF_LIFE)
    .option('--json', 'one JSON object: `token`, `expiresAt`, `userId`')
    .addHelpText('after', '\nInto a variable: TOKEN=$(npm run -s admin -- tokens issue --subject kim)')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & IssueOptions>();
      if (options.stage !== undefined) throw new UserError(ELSEWHERE);
      await connect(options);
      await issue(options, terminal);
    });
};

const ELSEWHERE =
  'Tokens of a deployment come from its own issuer, where people sign in: its Cognito user pool, or the one that it was deployed with as oidcIssuer. Only this machine issues them by a command.';
