import { command, group, option } from '../program/command.ts';
import { dryRun, yes } from '../program/parameters.ts';
import { runErase } from './erase.ts';
import { runExport } from './export.ts';
import { checkPerson, personParameters, toFindPersonInput } from './person-options.ts';

const SEARCH_RULES = `Give exactly one of --email, --phone and --lead.
A lead matches if a value anywhere in its data equals the e-mail address, or the phone number in any format.
If a phone number in the data has no country code, the search tries each country that any version of the funnel file contains.
Leads whose retention period has ended are also found, until the service has erased them.
A lead is found only by its current values.
If the person had several addresses or numbers, run the command for each of them.
Two properties of a lead are not searched: the page URL and webcomponent_args.
webcomponent_args is a free-form object that a page can send with a submit.
A session matches if one of its events names a matching lead, or contains the address or number, even inside a URL.`;

const erase = command({
  name: 'erase',
  description:
    'Erases the data of a person permanently: leads (with their verification state), uploaded files, sessions and ' +
    'events.',
  args: personParameters.args,
  options: { ...personParameters.options, dryRun, yes },
  json: 'one JSON object: the numbers of leads, files, sessions, events and facts, in total and per funnel',
  help: `${SEARCH_RULES}
An uploaded file is kept if a lead that is not erased also refers to the file.
If the command fails, run the same command again. It erases what is left.`,
  check: checkPerson,
  run: (input, context) => runErase(toFindPersonInput(input), input, context),
});

const exportPerson = command({
  name: 'export',
  description: 'Exports the leads, uploaded files and events of a person to a folder that you can give to the person.',
  args: personParameters.args,
  options: {
    ...personParameters.options,
    out: option(
      '--out <folder>',
      'new or empty folder; the command lets only you read it (default: person-<UTC time>)',
    ),
  },
  json: 'one JSON object: `folder` (null if nothing was found), and the numbers of leads, files, sessions and events',
  help: `${SEARCH_RULES}\nThe folder contains the leads, uploaded files and events, and a README.txt that explains them.`,
  check: checkPerson,
  run: (input, context) => runExport(toFindPersonInput(input), input.out, context),
});

export const privacy = group('privacy', 'Personal data: erase or export the data of a person.', [erase, exportPerson]);
