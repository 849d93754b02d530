import { Problem } from '../../shared/http/problem.ts';
import { isUnavailable } from '../../shared/platform/aws-failure.ts';
import { errorCode, FriendlyError } from '../local/friendly-error.ts';
import { printableLine } from './printable.ts';

/** Use cases throw plain errors with a sentence; those of Node and of the SDK have a code or a name of their own. */
const isSentence = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'Error' && errorCode(error) === undefined;

/** One sentence for a person; what it can't foresee is told in the words of whoever threw it. */
export function sentenceOf(error: unknown): string {
  if (error instanceof FriendlyError || isSentence(error)) return printableLine(error.message);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (isUnavailable(error) || error instanceof Problem) {
    return `The data can not be reached right now: is what runs it still up? (${printableLine(message)})`;
  }
  return `The command failed. ${printableLine(message)}`;
}
