import { DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createDynamoTombstoneReader } from '../../../shared/analytics/facts/aws/dynamo-tombstone-reader.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { UserError } from '../../common/user-error.ts';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import { PATIENT_CLIENT } from '../environment/records-client.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatFields } from '../terminal/format.ts';
import { createDynamoRestoreTables } from './dynamo-restore-tables.ts';
import { type RestoreCounts, restoreItems } from './restore-items.ts';

const TABLES = {
  directory: 'directoryTable',
  leads: 'leadsTable',
  uploads: 'uploadsTable',
  training: 'trainingTable',
} as const;
/** "directory, leads, uploads or training". */
const TABLE_NAMES = Object.keys(TABLES)
  .join(', ')
  .replace(/, (\w+)$/, ' or $1');
type Table = keyof typeof TABLES;

/** What nobody wanted back, and comes back all the same. */
const BACK_AGAIN: Record<Table, string> = {
  directory:
    'What was removed since then comes back too: members with their access, funnels, pages, domains. Take out again who must not be there.',
  leads:
    'Leads that retention took away since then come back too, without their files, until its next run: run background/enforce-retention by hand (docs/operations.md).',
  uploads:
    'Records of files that were removed since then come back too, without their files. The sweeper of uploads removes those that no lead refers to.',
  training:
    'Calls that were erased since then come back too: erase them again, and run background/enforce-retention by hand (docs/operations.md).',
};

type RestoreOptions = EnvironmentOptions & {
  from: string;
  prefix?: string;
  replace?: true;
  dryRun?: true;
  yes?: true;
  json?: true;
};

/** `tables restore`: what a backup still has. */
export const tables: CommandGroup = (program, { terminal, connect }) => {
  const group = program
    .command('tables')
    .description('Tables: put back what a backup still has.')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nDynamoDB restores a backup, or a point in time, as a table of its own; "restore"\nputs its items back. docs/operations.md tells how to.',
    );

  group
    .command('restore')
    .description('Puts items of a restored table back into the live one, which goes on being used.')
    .argument('<table>', TABLE_NAMES, tableOf)
    .requiredOption('--from <name>', 'the name of the restored table')
    .option('--prefix <text>', 'only items whose partition key begins so, such as lead#<funnel> or org#<organization>')
    .addOption(
      new Option('--replace', 'items that are there are set back to what they were; needs --prefix').default(undefined),
    )
    .option('--dry-run', 'counts what would be put back, and changes nothing')
    .option('--yes', 'goes on without asking')
    .option('--json', 'one JSON object: `restored`, `kept`, `erased`')
    .action(async (table: Table, _, command: Command) => {
      const options = command.optsWithGlobals<RestoreOptions>();
      await restore(table, options, { terminal, connect });
    });
};

async function restore(table: Table, options: RestoreOptions, { terminal, connect }: CliContext): Promise<void> {
  const { from, prefix = '', replace = false, dryRun = false, yes, json, ...place } = options;
  if (replace && prefix === '') throw new UserError('--replace needs --prefix: say which items are set back.');
  await connect(place);
  const live = requireSetting(TABLES[table]);
  if (from === live) throw new UserError(`${from} is the live table: give the name of the restored one.`);
  terminal.note(BACK_AGAIN[table]);
  if (!dryRun) await confirm(terminal, questionOf({ table, from, prefix, replace }), yes);
  const restorable = createDynamoRestoreTables(new DynamoDBClient(PATIENT_CLIENT), { restored: from, live }, clock);
  const erasedLeads = async () =>
    new Set((await createDynamoTombstoneReader().listAllLeads()).map(({ leadId }) => leadId));
  const request = { prefix, replace, dryRun };
  const done = await restoreItems({ ...restorable, erasedLeads }, request).catch((error: unknown) =>
    unfound(error, from),
  );
  await terminal.write(json ? `${JSON.stringify(done)}\n` : textOf(done, request));
  if (dryRun) terminal.note('Nothing was changed.');
}

function tableOf(given: string): Table {
  const isTable = (name: string): name is Table => Object.hasOwn(TABLES, name);
  if (!isTable(given))
    throw new InvalidArgumentError(`The table is ${TABLE_NAMES}: nothing else is put back by items.`);
  return given;
}

function questionOf({
  table,
  from,
  prefix,
  replace,
}: {
  table: Table;
  from: string;
  prefix: string;
  replace: boolean;
}) {
  const which = prefix === '' ? 'all items' : `items of ${prefix}…`;
  return replace
    ? `Set ${which} of the table ${table} back to what ${from} holds, over what they are now?`
    : `Put ${which} of ${from} that are missing back into the table ${table}?`;
}

function textOf({ restored, kept, erased }: RestoreCounts, { dryRun, replace }: { dryRun: boolean; replace: boolean }) {
  const would = dryRun ? 'would be ' : '';
  return formatFields([
    [`${would}${replace ? 'set back' : 'put back'}`, restored.toLocaleString('en')],
    ['there already', kept.toLocaleString('en')],
    ['of erased leads', `${erased.toLocaleString('en')}, which stay away`],
  ]);
}

function unfound(error: unknown, from: string): never {
  if (!(error instanceof ResourceNotFoundException)) throw error;
  throw new UserError(`There is no table ${from}, or it is not restored yet: see "aws dynamodb describe-table".`);
}
