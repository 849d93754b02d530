import { type AddHelpTextContext, type AddHelpTextPosition, Command, CommanderError } from 'commander';
import type { Admin, Group } from './admin.ts';
import { analytics } from './analytics/group.ts';
import { domains } from './domains/group.ts';
import { files } from './files/group.ts';
import { funnels } from './funnels/group.ts';
import { leads } from './leads/group.ts';
import { limits } from './limits/group.ts';
import { members } from './members/group.ts';
import { organizations } from './organizations/group.ts';
import { pages } from './pages/group.ts';
import { withPlaceOptions } from './place-options.ts';
import { retention } from './retention/group.ts';
import { sentenceOf } from './sentence.ts';
import { tables } from './tables/group.ts';
import { ReaderGone } from './terminal.ts';
import { tokens } from './tokens/group.ts';
import { training } from './training/group.ts';
import { wrapped } from './wrapped.ts';

/** The groups in the order in which a new installation meets them. A further one is a file and a name here. */
const SECTIONS: readonly (readonly [heading: string, groups: readonly Group[]])[] = [
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

/** Of help that goes to no terminal. */
const HELP_COLUMNS = 100;
/** However long the names beside them are. */
const DESCRIPTION_COLUMNS_MIN = 20;

const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs one command of the operator's.
 *
 * @param args without node and the script
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runAdmin(args: readonly string[], admin: Admin): Promise<number> {
  const program = programOf(admin);
  try {
    await program.parseAsync(asked(args), { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof ReaderGone) return 0;
    admin.terminal.note(sentenceOf(error));
    return FAILED;
  }
}

/** `help leads` is how others have it. */
const asked = (args: readonly string[]): string[] => (args[0] === 'help' ? [...args.slice(1), '--help'] : [...args]);

/** All groups with their commands. */
export function programOf(admin: Admin): Command {
  const { terminal } = admin;
  const helpWidth = terminal.columns ?? HELP_COLUMNS;
  const program = withPlaceOptions(new HelpfulCommand('npm run admin --'))
    .usage('[options] <group> <command> …')
    .description("The operator's commands, on the runtime of this machine or on a deployment.")
    .configureHelp({ showGlobalOptions: true, helpWidth, minWidthToWrap: DESCRIPTION_COLUMNS_MIN })
    .configureOutput({
      writeOut: (text) => void terminal.write(text).catch(() => undefined),
      writeErr: (text) => terminal.note(text.trimEnd()),
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

type HelpText = string | ((context: AddHelpTextContext) => string | undefined);

/** Whoever names no command is shown what there is, which is no failure. */
class HelpfulCommand extends Command {
  override createCommand(name?: string): Command {
    return new HelpfulCommand(name);
  }

  /** Commander breaks the lines of everything else. */
  override addHelpText(position: AddHelpTextPosition, text: HelpText): this {
    const { helpWidth = HELP_COLUMNS } = this.configureHelp();
    return super.addHelpText(position, (context) =>
      wrapped((typeof text === 'string' ? text : text(context)) ?? '', helpWidth),
    );
  }

  override help(): never {
    return super.help({ error: false });
  }
}
