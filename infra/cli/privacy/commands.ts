import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { type EraseOptions, erasePerson } from './erase.ts';
import { type ExportPersonOptions, exportPerson } from './export.ts';
import { askedIn, withPersonOptions } from './person-options.ts';

const HOW_FOUND =
  'A lead is found by any text of its data that is the address or number as a whole, at any depth; a national number is read as one of the countries that the funnel has. Expired leads count as long as they are stored.\nA lead whose address was changed since is found by the present one alone: ask for each that the person had.\nThe address of a lead’s page and what its web component was given are not searched; of a lead that is found they go too.\nSessions are found by events that name a found lead, or that contain the e-mail address or phone number, also within URLs.';

/** Adds `leads erase`. */
export function addErase(group: Command, { terminal, connect }: CliContext): void {
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

/** Adds `leads export-person`. */
export function addExportPerson(group: Command, { terminal, connect }: CliContext): void {
  withPersonOptions(group.command('export-person'))
    .description('Writes all that is kept of a person to a folder that they can be given.')
    .option('--out <folder>', 'a new folder, readable by you alone; without it, one named by the time')
    .option('--json', 'one JSON object: `folder`, and how much of each kind is in it')
    .addHelpText(
      'after',
      `\n${HOW_FOUND}\nThe folder holds leads, uploaded files, events of visits, and a README.txt in plain words.`,
    )
    .action(async (orgId: string, _, command: Command) => {
      const options = command.optsWithGlobals<ExportPersonOptions>();
      const asked = askedIn(orgId, options, command);
      const { indexDelayMs } = await connect(options);
      await exportPerson(asked, options, indexDelayMs, terminal);
    });
}
