import { command, group, option } from '../program/command.ts';
import { dryRun, yes } from '../program/parameters.ts';
import { runErase } from './erase.ts';
import { runExport } from './export.ts';
import { checkPerson, personParameters, toFindPersonInput } from './person-options.ts';

const SEARCH_RULES = `A lead is found if any text of its data equals the address or number, at any depth; a national number is read as one of the countries of the funnel. Expired leads count as long as they are stored.
A lead whose address was changed is found by the current one only: search for each address the person had.
The URL of a lead's page and the arguments of its web component are not searched; those of a lead that is found are erased too.
Sessions are found by events that name a found lead, or that contain the e-mail address or phone number, also within URLs.`;

const erase = command({
  name: 'erase',
  description: 'Erases a person permanently: leads with verification, files, sessions and events.',
  args: personParameters.args,
  options: { ...personParameters.options, dryRun, yes },
  json: 'one JSON object: counts per kind, in total and per funnel',
  help: `${SEARCH_RULES}\nIf the command fails, repeat it: it continues with what is left.`,
  check: checkPerson,
  run: (input, context) => runErase(toFindPersonInput(input), input, context),
});

const exportPerson = command({
  name: 'export',
  description: 'Writes all stored data of a person to a folder that can be handed over.',
  args: personParameters.args,
  options: {
    ...personParameters.options,
    out: option('--out <folder>', 'a new folder, readable by you only (default: named by the time)'),
  },
  json: 'one JSON object: `folder`, and counts per kind',
  help: `${SEARCH_RULES}\nThe folder holds leads, uploaded files, events of visits, and a README.txt that explains them.`,
  check: checkPerson,
  run: (input, context) => runExport(toFindPersonInput(input), input.out, context),
});

export const privacy = group('privacy', 'Personal data: erase a person, or export their data.', [erase, exportPerson]);
