import { printableLine } from '../terminal/printable.ts';

/** More than names and paths have. */
const CHARACTERS_MAX = 200;

/**
 * A message that repeats arguments of the command line, with only the beginning of those that are very long.
 *
 * @param args as they were given; messages repeat them as they are, or as a terminal shows them
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
