import { Command, CommanderError } from 'commander';
import { BrokenPipeError, type Terminal } from '../terminal/terminal.ts';
import { toUserMessage } from './user-message.ts';

/** Width of the help if stdout is not a terminal. */
const HELP_COLUMNS = 100;

const FAILURE = 1;
const USAGE_ERROR = 2;

/** Creates a program with a single command, such as `npm run cost`. The program throws instead of exiting. */
export const createSingleCommand = (name: string, terminal: Terminal): Command =>
  new Command(name)
    .configureHelp({ helpWidth: terminal.columns ?? HELP_COLUMNS })
    .configureOutput({
      writeOut: (text) => void terminal.write(text).catch(() => undefined),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError('Add --help to see the options.');

/**
 * Runs a program. Does not call `process.exit`.
 *
 * @param args without node and the script
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export async function runProgram(
  program: Command,
  args: readonly string[],
  terminal: Terminal,
  toMessage: (error: unknown) => string = toUserMessage,
): Promise<number> {
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the usage error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    if (error instanceof BrokenPipeError) return 0;
    terminal.note(toMessage(error));
    return FAILURE;
  }
}
