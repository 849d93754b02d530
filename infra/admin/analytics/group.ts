import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Admin, Group } from '../admin.ts';
import { uuidOf } from '../options.ts';
import type { PlaceOptions } from '../place.ts';
import { type EraseOptions, eraseSessions } from './erase.ts';
import { type RebuildOptions, rebuildFunnel } from './rebuild.ts';
import { listSetAside, redriveAll, WHAT_IS_WHAT } from './set-aside.ts';
import { showStatus } from './status.ts';

const FUNNEL = 'id of the funnel';
const JSON_ALL = 'one JSON object';
const JSON_LINES = 'a line of JSON a record';
const YES = 'goes on without asking';

/** `analytics status|set-aside|redrive|rebuild|erase`: events, and what is counted of them. */
export const analytics: Group = (program, admin) => {
  const group = program
    .command('analytics')
    .description('Analytics of a funnel: how it stands, what was set aside, rebuild and erase.')
    .helpCommand(false);
  addStatus(group, admin);
  addSetAside(group, admin);
  addRedrive(group, admin);
  addRebuild(group, admin);
  addErase(group, admin);
};

function addStatus(group: Command, { terminal, connect }: Admin): void {
  group
    .command('status')
    .description('Tells what waits, what is in files, and up to when these are complete.')
    .argument('<funnel>', FUNNEL, uuidOf('funnel'))
    .option('--json', JSON_ALL)
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<PlaceOptions & { json?: true }>();
      await connect(options);
      await showStatus(funnelId, options, terminal);
    });
}

function addSetAside(group: Command, { terminal, connect }: Admin): void {
  const below = group
    .command('set-aside')
    .description('Records of the event stream that nobody could read.')
    .helpCommand(false);
  below
    .command('list')
    .description('Lists them, with their reasons.')
    .option('--json', JSON_LINES)
    .addHelpText('after', `\n${WHAT_IS_WHAT}`)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<PlaceOptions & { json?: true }>();
      await connect(options);
      await listSetAside(options, terminal);
    });
}

function addRedrive(group: Command, { terminal, connect }: Admin): void {
  group
    .command('redrive')
    .description('Puts set-aside records that can be read by now onto the stream again.')
    .option('--dry-run', 'says what would be sent')
    .option('--json', JSON_LINES)
    .addHelpText('after', `\n${WHAT_IS_WHAT}\nSending one twice does no harm.`)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<PlaceOptions & { dryRun?: true; json?: true }>();
      await connect(options);
      await redriveAll(options, terminal);
    });
}

function addRebuild(group: Command, { terminal, connect }: Admin): void {
  group
    .command('rebuild')
    .description("Makes a funnel's facts anew from its raw events, while reads and events go on.")
    .argument('<funnel>', FUNNEL, uuidOf('funnel'))
    .option('--dry-run', 'compares only')
    .option('--accept-loss', 'goes on although the present facts know more')
    .option('--yes', YES)
    .option('--json', JSON_ALL)
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<PlaceOptions & RebuildOptions>();
      await connect(options);
      await rebuildFunnel(funnelId, options, terminal);
    });
}

function addErase(group: Command, { terminal, connect }: Admin): void {
  const collect = (given: string, before: string[]) => {
    // Nothing has it, and it would be kept as erased.
    if (given === '') throw new InvalidArgumentError('The id of a session is not empty.');
    return [...before, given];
  };
  group
    .command('erase')
    .description('Erases sessions from fresh facts, files, raw events and set-aside records.')
    .argument('<funnel>', FUNNEL, uuidOf('funnel'))
    .addOption(
      new Option('--session <id>', 'a session by its id; may be given several times')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--lead <id>', 'the sessions with an event that names this lead', uuidOf('lead'))
    .option('--dry-run', 'says what would be removed')
    .option('--yes', YES)
    .option('--json', JSON_ALL)
    .addHelpText(
      'after',
      '\nWithout --session and --lead it carries on what an earlier command began. A command that failed is repeated.\nBackups of the tables keep what was in them until they expire, after 35 days.',
    )
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<PlaceOptions & EraseOptions>();
      await connect(options);
      await eraseSessions(funnelId, options, terminal);
    });
}
