import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { Problem } from '../../shared/http/problem.ts';
import { isUnavailable } from '../../shared/platform/aws-failure.ts';
import { errorCode, FriendlyError } from '../local/friendly-error.ts';
import { ROOT } from '../local/options.ts';
import type { Admin, Group } from './admin.ts';
import { files } from './files/group.ts';
import { leads } from './leads/group.ts';
import { printableLine } from './printable.ts';
import { ReaderGone } from './terminal.ts';

/** A further group of commands is a file and a name here. */
const GROUPS: readonly Group[] = [leads, files];

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
  const program = new Command('npm run admin --')
    .description("The operator's commands, on the runtime of this machine or on a deployment.")
    .addOption(
      new Option('--state <folder>', 'the state folder of the runtime on this machine').default(
        join(ROOT, '.local'),
        '.local',
      ),
    )
    .option('--stage <name>', 'a deployed stage instead, with AWS_REGION and credentials in the environment')
    .addOption(
      new Option('--outputs <file>', 'what `npm run deploy` wrote of the stage').default(
        join(ROOT, 'cdk-outputs.json'),
        'cdk-outputs.json',
      ),
    )
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

/** Use cases throw plain errors with a sentence; those of Node and of the SDK have a code or a name of their own. */
const isSentence = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'Error' && errorCode(error) === undefined;

/** One sentence for a person; what it can't foresee is told in the words of whoever threw it. */
function sentenceOf(error: unknown): string {
  if (error instanceof FriendlyError || isSentence(error)) return printableLine(error.message);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (isUnavailable(error) || error instanceof Problem) {
    return `The data can not be reached right now: is what runs it still up? (${printableLine(message)})`;
  }
  return `The command failed. ${printableLine(message)}`;
}
