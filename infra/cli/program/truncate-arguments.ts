import { printableLine } from '../terminal/printable.ts';

/** Maximum characters of an argument in a message. Usual names and paths are shorter. */
const CHARACTERS_MAX = 200;

/**
 * Shortens very long command-line arguments in a message that repeats them.
 *
 * @param args the arguments as given. The message may contain them unchanged or escaped for a terminal.
 */
export function truncateArguments(message: string, args: readonly string[]): string {
  const repeated = args
    .flatMap((arg) => [arg, arg.slice(arg.indexOf('=') + 1)])
    .flatMap((text) => [text, printableLine(text)])
    .filter((text) => text.length > CHARACTERS_MAX)
    .sort((one, other) => other.length - one.length);
  return repeated.reduce((text, long) => text.replaceAll(long, () => `${beginning(long)}…`), message);
}

const beginning = (text: string): string => Array.from(text).slice(0, CHARACTERS_MAX).join('');
