import { Command, CommanderError } from 'commander';
import type { Admin, Group } from './admin.ts';
import { analytics } from './analytics/group.ts';
import { files } from './files/group.ts';
import { leads } from './leads/group.ts';
import { withPlaceOptions } from './place-options.ts';
import { sentenceOf } from './sentence.ts';
import { ReaderGone } from './terminal.ts';
import { training } from './training/group.ts';

/** A further group of commands is a file and a name here. */
const GROUPS: readonly Group[] = [leads, files, analytics, training];

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
  const program = withPlaceOptions(new Command('npm run admin --'))
    .description("The operator's commands, on the runtime of this machine or on a deployment.")
    .configureHelp({ showGlobalOptions: true, helpWidth: terminal.columns ?? 100 })
    .configureOutput({
      writeOut: (text) => void terminal.write(text).catch(() => undefined),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError('Add --help to see what there is.');
  for (const group of GROUPS) group(program, admin);
  return program;
}
