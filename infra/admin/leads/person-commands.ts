import type { Command } from 'commander';
import type { Admin } from '../admin.ts';
import { type EraseOptions, erasePerson } from './erase.ts';
import { askedIn, withPersonOptions } from './person-options.ts';

const HOW_FOUND =
  'A lead is found by any text of its data that is the address or number as a whole, at any depth; a\nnational number is read as one of the countries that the funnel has. Expired leads count as long as they are stored.';

/** Adds `leads erase`. */
export function addErase(group: Command, { terminal, connect }: Admin): void {
  withPersonOptions(group.command('erase'))
    .description('Erases a person for good: their leads with verification, files, sessions and events.')
    .option('--dry-run', 'says what would be removed')
    .option('--yes', 'goes on without asking')
    .option('--json', 'one JSON object: how much of each kind, in all and of each funnel')
    .addHelpText('after', `\n${HOW_FOUND}\nA command that failed is repeated: it goes on with what is left.`)
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EraseOptions>();
      const asked = askedIn(orgId, options, command);
      const { indexDelayMs } = await connect(options);
      await erasePerson(asked, options, indexDelayMs, terminal);
    });
}
