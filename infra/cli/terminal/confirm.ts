import { UserError } from '../../common/user-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * Lets a person agree to what can not be undone.
 *
 * @param yes whether they have done so on the command line
 * @throws FriendlyError when they do not, or nobody is there to be asked
 */
export async function confirm({ ask }: Terminal, question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (ask === undefined)
    throw new UserError(`${question} This command can't ask here: give --yes to go on. Nothing was changed.`);
  if (!/^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())) throw new UserError('Nothing was changed.');
}
