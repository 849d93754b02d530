import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/parameters.ts';
import { discardDeadLetters, printDeadLetters, redriveAll, showDeadLetter, WHAT_IS_WHAT } from './dead-letters.ts';
import { type EraseOptions, runEraseCommand } from './erase.ts';
import { type RebuildOptions, rebuildFunnel } from './rebuild.ts';
import { showStatus } from './status.ts';

const FUNNEL = 'id of the funnel';
const JSON_ALL = 'one JSON object';
const JSON_LINES = 'a line of JSON a record';
const YES = 'goes on without asking';

/** `analytics status|dead-letters|redrive|rebuild|erase`: events, and what is counted of them. */
export const analytics: CommandGroup = (program, admin) => {
  const group = program
    .command('analytics')
    .description('Analytics of a funnel: its status, unreadable records, rebuild and erase.')
    .helpCommand(false);
  addStatus(group, admin);
  addDeadLetters(group, admin);
  addRedrive(group, admin);
  addRebuild(group, admin);
  addErase(group, admin);
};

function addStatus(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('status')
    .description('Tells what waits, what is in files, and up to when these are complete.')
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .option('--json', JSON_ALL)
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await showStatus(funnelId, options, terminal);
    });
}

const RECORD = 'id of the record, as list shows it';

function addDeadLetters(group: Command, { terminal, connect }: CliContext): void {
  const below = group
    .command('dead-letters')
    .description('Records of the event stream that could not be read: list, show and discard them.')
    .helpCommand(false);
  below
    .command('list')
    .description('Lists them, with their reasons.')
    .option('--json', JSON_LINES)
    .addHelpText('after', `\n${WHAT_IS_WHAT}`)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await printDeadLetters(options, terminal);
    });
  below
    .command('show')
    .description('Shows a record, with the start of its content, which may hold personal data.')
    .argument('<record>', RECORD)
    .option('--json', `${JSON_ALL}, with the whole content as base64`)
    .action(async (id: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await showDeadLetter(id, options, terminal);
    });
  below
    .command('discard')
    .description('Deletes records for good, so that their events are never counted.')
    .argument('<record...>', RECORD)
    .option('--readable', 'also those that redrive could count by now')
    .option('--yes', YES)
    .option('--json', JSON_LINES)
    .action(async (ids: string[], _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { readable?: true; yes?: true; json?: true }>();
      await connect(options);
      await discardDeadLetters(ids, options, terminal);
    });
}

function addRedrive(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('redrive')
    .description('Puts dead letters that can be read by now onto the stream again.')
    .option('--dry-run', 'says what would be sent')
    .option('--json', JSON_LINES)
    .addHelpText('after', `\n${WHAT_IS_WHAT}\nSending one twice does no harm.`)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & { dryRun?: true; json?: true }>();
      await connect(options);
      await redriveAll(options, terminal);
    });
}

function addRebuild(group: Command, { terminal, connect }: CliContext): void {
  group
    .command('rebuild')
    .description("Makes a funnel's facts anew from its raw events, while reads and events go on.")
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .option('--dry-run', 'compares only')
    .option('--accept-loss', 'goes on although the present facts know more')
    .option('--yes', YES)
    .option('--json', JSON_ALL)
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & RebuildOptions>();
      await connect(options);
      await rebuildFunnel(funnelId, options, terminal);
    });
}

function addErase(group: Command, { terminal, connect }: CliContext): void {
  const collect = (given: string, before: string[]) => {
    // Nothing has it, and it would be kept as erased.
    if (given === '') throw new InvalidArgumentError('The id of a session is not empty.');
    return [...before, given];
  };
  group
    .command('erase')
    .description('Erases sessions from fresh facts, files, raw events and dead letters.')
    .argument('<funnel>', FUNNEL, parseUuid('funnel'))
    .addOption(
      new Option('--session <id>', 'a session by its id; may be given several times')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--lead <id>', 'the sessions with an event that names this lead', parseUuid('lead'))
    .option('--dry-run', 'says what would be removed')
    .option('--yes', YES)
    .option('--json', JSON_ALL)
    .addHelpText(
      'after',
      '\nWithout --session and --lead it carries on what an earlier command began. A command that failed is repeated.\nBackups of the tables keep what was in them until they expire, after 35 days.',
    )
    .action(async (funnelId: string, _, command: Command) => {
      const options = command.optsWithGlobals<EnvironmentOptions & EraseOptions>();
      await connect(options);
      await runEraseCommand(funnelId, options, terminal);
    });
}
