import { Command, CommanderError } from 'commander';
import { BrokenPipeError, type Terminal } from '../terminal/terminal.ts';
import { toUserMessage } from './user-message.ts';

/** Without a terminal that has a width. */
const HELP_COLUMNS = 100;

const FAILED = 1;
const WRONG_USAGE = 2;

/** A program that is one command: it speaks to the terminal alone, and never ends the process. */
export const createSingleCommand = (name: string, terminal: Terminal): Command =>
  new Command(name)
    .configureHelp({ helpWidth: terminal.columns ?? HELP_COLUMNS })
    .configureOutput({
      writeOut: (text) => void terminal.write(text).catch(() => undefined),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .exitOverride()
    .helpOption('-h, --help', 'shows this')
    .showHelpAfterError('Add --help to see what there is.');

/**
 * @param args without node and the script
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runSingleCommand(
  program: Command,
  args: readonly string[],
  { terminal, tell = toUserMessage }: { terminal: Terminal; tell?: (error: unknown) => string },
): Promise<number> {
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof BrokenPipeError) return 0;
    terminal.note(tell(error));
    return FAILED;
  }
}
