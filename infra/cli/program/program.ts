import { type Command, CommanderError } from 'commander';
import { analytics } from '../analytics/commands.ts';
import { tables } from '../backups/commands.ts';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import { domains } from '../domains/commands.ts';
import { addEnvironmentOptions } from '../environment/environment-options.ts';
import { funnels } from '../funnels/commands.ts';
import { leads } from '../leads/commands.ts';
import { limits } from '../limits/commands.ts';
import { members } from '../members/commands.ts';
import { organizations } from '../organizations/commands.ts';
import { pages } from '../pages/commands.ts';
import { retention } from '../retention/commands.ts';
import { printable } from '../terminal/printable.ts';
import { BrokenPipeError } from '../terminal/terminal.ts';
import { hangingIndent } from '../terminal/wrap-text.ts';
import { tokens } from '../tokens/commands.ts';
import { training } from '../training/commands.ts';
import { files } from '../uploads/commands.ts';
import { CliCommand, HELP_COLUMNS } from './cli-command.ts';
import { truncateArguments } from './truncate-arguments.ts';
import { toUserMessage } from './user-message.ts';

/** The groups in the order in which a new installation meets them. A further one is a file and a name here. */
const SECTIONS: readonly (readonly [heading: string, groups: readonly CommandGroup[]])[] = [
  ['A customer, and who acts for it:', [organizations, members, tokens, limits]],
  ['What visitors meet:', [funnels, pages, domains]],
  ['What comes of it:', [leads, files, analytics, training, retention]],
  ['What it stands on:', [tables]],
];

const EXAMPLE = `
For example, an organization, its owner, a funnel, and what visitors left:
  npm run admin -- organizations create --name "Example Ltd"
  npm run admin -- members add <organization> --subject kim --role owner
  npm run admin -- funnels create <organization> <file> --publish
  npm run admin -- leads list <funnel>

Groups and commands tell more with --help, and put out JSON with --json.
They work on what "npm start" runs on this machine in another terminal; with
--stage, on what is deployed.`;

/** However long the names beside them are. */
const DESCRIPTION_COLUMNS_MIN = 20;

const USAGE_LEAD = 'Usage: ';

const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs one command of the operator's.
 *
 * @param args without node and the script
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runCli(args: readonly string[], admin: CliContext): Promise<number> {
  const program = buildProgram(admin, args);
  try {
    await program.parseAsync(asked(args), { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof BrokenPipeError) return 0;
    admin.terminal.note(truncateArguments(toUserMessage(error), args));
    return FAILED;
  }
}

/** `help leads` is how others have it. */
const asked = (args: readonly string[]): string[] => (args[0] === 'help' ? [...args.slice(1), '--help'] : [...args]);

/** All groups with their commands. @param args what refusals repeat */
export function buildProgram(admin: CliContext, args: readonly string[] = []): Command {
  const { terminal } = admin;
  const helpWidth = terminal.columns ?? HELP_COLUMNS;
  const program = addEnvironmentOptions(new CliCommand('npm run admin --'))
    .usage('[options] <group> <command> …')
    .description("The operator's commands, on the runtime of this machine or on a deployment.")
    .configureHelp({
      ...{ showGlobalOptions: true, helpWidth, minWidthToWrap: DESCRIPTION_COLUMNS_MIN },
      styleUsage: (usage) => hangingIndent(USAGE_LEAD, usage, helpWidth).slice(USAGE_LEAD.length).trimEnd(),
    })
    .configureOutput({
      writeOut: (text) => void terminal.write(text).catch(() => undefined),
      writeErr: (text) => terminal.note(printable(truncateArguments(text.trimEnd(), args))),
    })
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'shows this')
    .addHelpText('after', EXAMPLE)
    .showHelpAfterError('Add --help to see what there is.');
  for (const [heading, groups] of SECTIONS) {
    program.commandsGroup(heading);
    for (const group of groups) group(program, admin);
  }
  return program;
}
