import { type Command, Option } from 'commander';
import { FriendlyError } from '../../local/friendly-error.ts';
import type { Admin } from '../admin.ts';
import { uuidOf } from '../options.ts';
import type { PlaceOptions } from '../place.ts';
import { type RehearseOptions, rehearse } from './rehearse.ts';

const scriptOption = (flag: string, description: string, ...others: string[]) =>
  new Option(flag, description).conflicts(others);

/** Adds `rehearse <case>`. */
export function addRehearse(group: Command, { terminal, connect }: Admin): void {
  group
    .command('rehearse')
    .description('Rehearses a case of the demo with the rehearsal agent of this machine, up to the score.')
    .argument('<case>', 'id of a case of organization A', uuidOf('case'))
    .addOption(scriptOption('--good', 'the trainee asks, listens and does what the case asks for (default)', 'poor'))
    .addOption(scriptOption('--poor', 'the trainee talks about prices and lets nobody finish', 'unreachable'))
    .addOption(scriptOption('--unreachable', 'nobody answers the call', 'good'))
    .option(
      '--persona <id>',
      "the customer; without it, one of the demo's who speaks the case's language",
      uuidOf('persona'),
    )
    .option('--json', 'one JSON object: `script`, and `call` as the API reads it')
    .action(async (caseId: string, _, command: Command) => {
      const options = command.optsWithGlobals<PlaceOptions & RehearseOptions>();
      if (options.stage !== undefined) {
        throw new FriendlyError(
          'Rehearsals work on a laptop only: a deployment has no rehearsal agent, its sessions are held by the voice provider.',
        );
      }
      await connect(options);
      await rehearse(caseId, options, terminal);
    });
}
