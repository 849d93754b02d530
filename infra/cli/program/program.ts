import type { Command } from 'commander';
import { analytics } from '../analytics/commands.ts';
import { backups } from '../backups/commands.ts';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import { domains } from '../domains/commands.ts';
import { addEnvironmentOptions } from '../environment/environment-options.ts';
import { funnels } from '../funnels/commands.ts';
import { leads } from '../leads/commands.ts';
import { limits } from '../limits/commands.ts';
import { members } from '../members/commands.ts';
import { notifications } from '../notifications/commands.ts';
import { organizations } from '../organizations/commands.ts';
import { pages } from '../pages/commands.ts';
import { privacy } from '../privacy/commands.ts';
import { retention } from '../retention/commands.ts';
import { printable } from '../terminal/printable.ts';
import { hangingIndent } from '../terminal/wrap-text.ts';
import { tokens } from '../tokens/commands.ts';
import { training } from '../training/commands.ts';
import { uploads } from '../uploads/commands.ts';
import { webhooks } from '../webhooks/commands.ts';
import { CliCommand, HELP_COLUMNS } from './cli-command.ts';
import { runProgram } from './single-command.ts';
import { truncateArguments } from './truncate-arguments.ts';
import { toUserMessage } from './user-message.ts';

/** The groups in the order in which a new installation needs them. */
const SECTIONS: readonly (readonly [heading: string, groups: readonly CommandGroup[]])[] = [
  ['Organizations and their members:', [organizations, members, tokens, limits]],
  ['Funnels, pages and hostnames:', [funnels, pages, domains]],
  ['Data and training:', [leads, uploads, webhooks, notifications, privacy, analytics, training, retention]],
  ['Tables:', [backups]],
];

const EXAMPLE = `
For example, to create an organization with an owner and a funnel, and to list
the leads of the funnel:
  npm run admin -- organizations create --name "Example Ltd"
  npm run admin -- members add <organization> --subject kim --role owner
  npm run admin -- funnels create <organization> <file> --publish
  npm run admin -- leads list <funnel>
Replace <organization> and <funnel> with the ids that the commands print, and
<file> with a funnel file: see "funnels --help". Here, kim is the \`sub\` claim
in the access tokens of the owner.

Every group and command has --help; most commands print JSON with --json.
By default, commands use the local environment: start it with "npm start" in
another terminal. With --stage, commands use the deployment of that stage.
The exit code is 0 after success, 1 after a failure, and 2 if an argument or
option is missing, unknown or invalid.`;

/** Minimum width of descriptions in the help. If long names leave fewer columns, Commander wraps no description. */
const DESCRIPTION_COLUMNS_MIN = 20;
const USAGE_LEAD = 'Usage: ';

/**
 * Runs one command of `npm run admin`.
 *
 * @param args without node and the script
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export function runCli(args: readonly string[], cli: CliContext): Promise<number> {
  // `help leads` means `leads --help`.
  const normalized = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  return runProgram(buildProgram(cli, args), normalized, cli.terminal, (error) =>
    truncateArguments(toUserMessage(error), args),
  );
}

/** Builds the program with all groups. @param args the given arguments, which are truncated in error messages */
export function buildProgram(cli: CliContext, args: readonly string[] = []): Command {
  const { terminal } = cli;
  const helpWidth = terminal.columns ?? HELP_COLUMNS;
  const program = addEnvironmentOptions(new CliCommand('npm run admin --'))
    .usage('[options] <group> <command> …')
    .description('Operator commands for the local environment or a deployment.')
    .configureHelp({
      showGlobalOptions: true,
      helpWidth,
      minWidthToWrap: DESCRIPTION_COLUMNS_MIN,
      styleUsage: (usage) => hangingIndent(USAGE_LEAD, usage, helpWidth).slice(USAGE_LEAD.length).trimEnd(),
    })
    .configureOutput({
      writeOut: (text) => void terminal.write(text).catch(() => undefined),
      writeErr: (text) => terminal.note(printable(truncateArguments(text.trimEnd(), args))),
    })
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', EXAMPLE)
    .showHelpAfterError('Add --help to see commands and options.');
  for (const [heading, groups] of SECTIONS) {
    program.commandsGroup(heading);
    for (const group of groups) group(program, cli);
  }
  return program;
}
