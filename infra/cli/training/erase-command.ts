import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { parseUuid } from '../program/parameters.ts';
import { type EraseOptions, eraseCalls } from './erase-calls.ts';

const callOf = parseUuid('call');

/** Adds `calls erase`. */
export function addErase(calls: Command, { terminal, connect }: CliContext): void {
  onOrganization(
    calls,
    'erase',
    'Erases calls for good: transcripts, recordings, scores, and what the voice provider keeps.',
  )
    .argument('[calls...]', 'ids of the calls', (given: string, before: string[] = []) => [...before, callOf(given)])
    .option('--user <id>', 'all calls of this user instead', parseUuid('user'))
    .option('--subject <sub>', 'all calls of the user whom tokens name so', wordOf)
    .option('--issuer <url>', "who issues the user's tokens, with --subject; on this machine its own issuer", wordOf)
    .option('--dry-run', 'says what would go')
    .option('--yes', 'goes on without asking')
    .option('--json', 'one JSON object: how many of each kind, and the calls that are left')
    .addHelpText('after', `\n${AFTER}`)
    .action(async (orgId: string, callIds: string[] | undefined, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & EraseOptions>();
      await connect(options);
      await eraseCalls(orgId, callIds ?? [], options, terminal);
    });
}

const AFTER = `A call that has not ended is erased within a day of its end.
After a failure, run the same command again: what is erased is passed over.`;

function wordOf(given: string): string {
  if (given.trim() === '' || given.length > 2_000) throw new InvalidArgumentError('Give 1 to 2,000 characters.');
  return given;
}
