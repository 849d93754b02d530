import { Command, CommanderError } from 'commander';
import type { Admin, Group } from './admin.ts';
import { analytics } from './analytics/group.ts';
import { domains } from './domains/group.ts';
import { files } from './files/group.ts';
import { funnels } from './funnels/group.ts';
import { leads } from './leads/group.ts';
import { limits } from './limits/group.ts';
import { members } from './members/group.ts';
import { organizations } from './organizations/group.ts';
import { withPlaceOptions } from './place-options.ts';
import { sentenceOf } from './sentence.ts';
import { ReaderGone } from './terminal.ts';
import { tokens } from './tokens/group.ts';
import { training } from './training/group.ts';

/** The groups in the order in which a new installation meets them. A further one is a file and a name here. */
const SECTIONS: readonly (readonly [heading: string, groups: readonly Group[]])[] = [
  ['A customer, and who acts for it:', [organizations, members, tokens, limits]],
  ['What visitors meet:', [funnels, domains]],
  ['What comes of it:', [leads, files, analytics, training]],
];

const EXAMPLE = `
For example, a first organization:
  npm run admin -- organizations create --name "Example Ltd"
  npm run admin -- organizations list

Groups and commands tell more with --help, and put out JSON with --json.
They work on what "npm start" runs on this machine in another terminal; with
--stage, on what is deployed.`;

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
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof ReaderGone) return 0;
    admin.terminal.note(sentenceOf(error));
    return FAILED;
  }
}

function programOf(admin: Admin): Command {
  const { terminal } = admin;
  const program = withPlaceOptions(new HelpfulCommand('npm run admin --'))
    .usage('[options] <group> <command> …')
    .description("The operator's commands, on the runtime of this machine or on a deployment.")
    .configureHelp({ showGlobalOptions: true, helpWidth: terminal.columns ?? 100 })
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

/** Whoever names no command is shown what there is, which is no failure. */
class HelpfulCommand extends Command {
  override createCommand(name?: string): Command {
    return new HelpfulCommand(name);
  }

  override help(): never {
    return super.help({ error: false });
  }
}
