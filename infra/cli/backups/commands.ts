import { DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { createDynamoTombstoneReader } from '../../../shared/analytics/facts/aws/dynamo-tombstone-reader.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { UserError } from '../../common/user-error.ts';
import { PATIENT_CLIENT } from '../environment/record-table.ts';
import { argument, command, flag, group, option, requiredOption, usageError } from '../program/command.ts';
import { dryRun, yes } from '../program/parameters.ts';
import { Fields } from '../terminal/output.ts';
import { NOTHING_CHANGED } from '../terminal/terminal.ts';
import { createDynamoRestoreTables } from './dynamo-restore-tables.ts';
import { restoreItems } from './restore-items.ts';
import { restoreLead } from './restore-lead.ts';

/** The tables that can be restored. `warning` describes the undesired effects of a restore. */
const TABLES = {
  directory: {
    setting: 'directoryTable',
    warning:
      'The command also restores members, funnels, pages and domains that were removed after the backup. ' +
      'Remove the members who must no longer have access.',
  },
  leads: {
    setting: 'leadsTable',
    warning:
      'The command also restores leads that retention erased after the backup, without their files. ' +
      'The next run of background/enforce-retention erases these leads again: start the run manually ' +
      '(docs/operations.md). ' +
      'Webhook endpoints get messages about all restored leads.',
  },
  uploads: {
    setting: 'uploadsTable',
    warning:
      'The command also restores records of files that were removed after the backup, without the files. ' +
      'The upload sweeper removes the records that no lead refers to.',
  },
  training: {
    setting: 'trainingTable',
    warning:
      'The command also restores calls that were erased after the backup. Erase these calls again with ' +
      '"training calls erase", and start background/enforce-retention manually for calls that retention erased ' +
      '(docs/operations.md).',
  },
  webhooks: {
    setting: 'webhooksTable',
    warning:
      'Without --replace, an existing organization keeps its webhook endpoints. --replace resets all its endpoints ' +
      'to the backup: newer endpoints are lost, removed endpoints return, and secrets are those of the backup. ' +
      'Compare "webhooks list" with what the organization expects.',
  },
} as const;
type Table = keyof typeof TABLES;
const TABLE_NAMES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(TABLES));

function parseTable(given: string): Table {
  const isTable = (name: string): name is Table => Object.hasOwn(TABLES, name);
  if (!isTable(given)) throw usageError(`Give ${TABLE_NAMES}: items of other tables cannot be restored.`);
  return given;
}

const restore = command({
  name: 'restore-items',
  description: 'Copies items of a restored table back into the live table, which stays in use.',
  args: { table: argument('<table>', `live table: ${TABLE_NAMES}`, parseTable) },
  options: {
    from: requiredOption('--from <name>', 'name of the table that DynamoDB created from the backup'),
    prefix: option(
      '--prefix <text>',
      'only items whose partition key begins with this text, such as lead#<funnel id> or org#<organization id>',
    ),
    replace: flag('--replace', 'also overwrite items that exist in the live table; needs --prefix'),
    dryRun,
    yes,
  },
  json:
    'one JSON object with numbers of items: `restored`, `kept` (existing items, left unchanged), and `erased` (items ' +
    'of leads that an operator erased, not restored)',
  help: `Leads that an operator erased are not restored. Leads that a retention run
erased are restored without their files, and the next daily retention run erases
them again.`,
  check: ({ replace, prefix = '' }) =>
    replace && prefix === '' ? '--replace needs --prefix, which selects the items to overwrite' : undefined,
  run: async ({ table, from, prefix = '', replace, dryRun: isDryRun, yes: isConfirmed }, { terminal, confirm }) => {
    const live = requireSetting(TABLES[table].setting);
    if (from === live) throw new UserError(`${from} is the live table: give the name of the restored table.`);
    terminal.note(TABLES[table].warning);
    const which = prefix === '' ? 'all items' : `the items whose partition key begins with ${prefix}`;
    const question = replace
      ? `Copy ${which} from ${from} into the table ${table}, and overwrite existing items?`
      : `Copy ${which} from ${from} into the table ${table}, except items that exist there?`;
    if (!isDryRun) await confirm(question, isConfirmed);
    const client = new DynamoDBClient(PATIENT_CLIENT);
    const toLiveItem = table === 'leads' ? restoreLead : undefined;
    const restorable = createDynamoRestoreTables(client, { restored: from, live }, clock, toLiveItem);
    const erasedLeads = async () =>
      new Set((await createDynamoTombstoneReader().listAllLeads()).map(({ leadId }) => leadId));
    const request = { prefix, replace, dryRun: isDryRun };
    const done = await restoreItems({ ...restorable, erasedLeads }, request).catch((error: unknown) => {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      throw new UserError(
        `There is no table ${from}, or its restore is not finished: check the table with ` +
          '"aws dynamodb describe-table".',
      );
    });
    return {
      json: done,
      text: new Fields(
        [`${isDryRun ? 'would be ' : ''}${replace ? 'restored or overwritten' : 'restored'}`, done.restored],
        ['exist already', done.kept],
        ['of erased leads', `${done.erased.toLocaleString('en')}, not restored`],
      ),
      notes: isDryRun ? [NOTHING_CHANGED] : [],
    };
  },
});

export const backups = group(
  'backups',
  'Backups of the tables: restore items.',
  [restore],
  `DynamoDB restores a backup, or a point in time, as a separate table;
"restore-items" copies the items of this table into the live table.
docs/operations.md describes the steps.`,
);
