import { command, group, option } from '../program/command.ts';
import { dryRun, yes } from '../program/parameters.ts';
import { runErase } from './erase.ts';
import { runExport } from './export.ts';
import { checkPerson, personParameters, toFindPersonInput } from './person-options.ts';

const SEARCH_RULES = `Give exactly one of --email, --phone and --lead.
A lead matches if a text anywhere in its data equals the address or number.
If a number in the data has no country code, the search tries each country that a version of the funnel sets.
Expired leads are found as long as they are stored.
Only the current data is searched: if the person had several addresses, search for each address.
Not searched: the page URL of a lead, and webcomponent_args, a free-form object that a page can send with a submit.
A session matches if one of its events names a matching lead, or contains the address or number, also in a URL.`;

const erase = command({
  name: 'erase',
  description:
    'Erases the data of a person permanently: leads (with their verification state), files, sessions and events.',
  args: personParameters.args,
  options: { ...personParameters.options, dryRun, yes },
  json: 'one JSON object: counts per kind, in total and per funnel',
  help: `${SEARCH_RULES}\nIf the command fails, repeat it to continue.`,
  check: checkPerson,
  run: (input, context) => runErase(toFindPersonInput(input), input, context),
});

const exportPerson = command({
  name: 'export',
  description: 'Exports the leads, uploaded files and events of a person to a folder that you can hand over.',
  args: personParameters.args,
  options: {
    ...personParameters.options,
    out: option('--out <folder>', 'new folder, which only you can read (default: person-<time>)'),
  },
  json: 'one JSON object: `folder`, and counts per kind',
  help: `${SEARCH_RULES}\nThe folder contains the leads, uploaded files and events, and a README.txt that explains them.`,
  check: checkPerson,
  run: (input, context) => runExport(toFindPersonInput(input), input.out, context),
});

export const privacy = group('privacy', 'Personal data: erase or export the data of a person.', [erase, exportPerson]);
