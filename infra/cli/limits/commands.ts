import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseUuid } from '../program/options.ts';
import type { LimitChanges, LimitName, LimitOwner } from './effective-limits.ts';
import { set, show } from './limits.ts';
import { LIMIT_NAMES, MEANINGS, SHAPES, wordOf } from './names.ts';

type Given = Partial<Record<LimitName, number>> & { funnel?: string; unset: LimitName[]; json?: true };

/** `limits show|set`: what organizations and funnels may use, and what they have used. */
export const limits: CommandGroup = (program, admin) => {
  const group = program
    .command('limits')
    .description('Limits and budgets of organizations and funnels: show and set them.')
    .helpCommand(false);
  addShow(group, admin);
  addSet(group, admin);
};

const namesOf = (kind: LimitOwner['kind']): string => Object.keys(SHAPES[kind]).map(wordOf).join(', ');

const NAMES = `
An organization can have ${namesOf('organization')}; a funnel ${namesOf('funnel')}. Names are taken as --json has them too: --smsPerDay.`;

const onOwner = (group: Command, name: string, description: string): Command =>
  group
    .command(name)
    .description(description)
    .argument('[organization]', 'id of the organization', parseUuid('organization'))
    .option('--funnel <id>', 'a funnel instead of an organization', parseUuid('funnel'));

function addShow(group: Command, { terminal, connect }: CliContext): void {
  onOwner(group, 'show', 'Shows what holds, whose value it is, and what is used today.')
    .option('--json', 'one JSON object: `limits` by name, each with `limit`, `whose`, `usedToday`')
    .action(async (orgId: string | undefined, _, command: Command) => {
      const owner = ownerIn(command, orgId);
      const options = command.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await show(owner, options, terminal);
    });
}

function addSet(group: Command, { terminal, connect }: CliContext): void {
  const command = onOwner(group, 'set', "Gives an organization or a funnel a limit of its own in the service's place.");
  for (const name of LIMIT_NAMES) {
    command.option(`--${wordOf(name)} <count>`, MEANINGS[name], wholeNumber);
    // As JSON has it: commander keeps both under one name.
    if (name !== wordOf(name))
      command.addOption(new Option(`--${name} <count>`, MEANINGS[name]).argParser(wholeNumber).hideHelp());
  }
  command
    .addOption(
      new Option('--unset <name>', "the service's limit again; may be given several times")
        .argParser(limitNames)
        .default([], 'none'),
    )
    .option('--json', 'one JSON object, as show has it')
    .addHelpText('after', NAMES)
    .action(async (orgId: string | undefined, _, called: Command) => {
      const owner = ownerIn(called, orgId);
      const changes = changesIn(called, owner);
      const options = called.optsWithGlobals<EnvironmentOptions & { json?: true }>();
      await connect(options);
      await set(owner, changes, options, terminal);
    });
}

function wholeNumber(given: string): number {
  const count = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw new InvalidArgumentError('Give a whole number, in digits alone.');
  return count;
}

function limitNames(given: string, before: LimitName[]): LimitName[] {
  const name = LIMIT_NAMES.find((one) => [one, wordOf(one)].includes(given));
  if (name !== undefined) return [...new Set([...before, name])];
  throw new InvalidArgumentError(`There are ${LIMIT_NAMES.map(wordOf).join(', ')}.`);
}

/** Refuses none and both, as wrong usage. */
function ownerIn(command: Command, orgId: string | undefined): LimitOwner {
  const { funnel } = command.opts<Given>();
  if (funnel !== undefined && orgId === undefined) return { kind: 'funnel', id: funnel };
  if (orgId !== undefined && funnel === undefined) return { kind: 'organization', id: orgId };
  return command.error('error: give the id of an organization, or --funnel <id>');
}

/** Refuses what the owner can't have, as wrong usage. */
function changesIn(command: Command, { kind }: LimitOwner): LimitChanges {
  const given = command.opts<Given>();
  const set = Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
  const named = [...Object.keys(set), ...given.unset];
  const shapes: Partial<Record<string, { safeParse(value: unknown): { success: boolean } }>> = SHAPES[kind];
  const foreign = named.find((name) => shapes[name] === undefined);
  if (foreign !== undefined) command.error(`error: no ${kind} has a limit ${wordOf(foreign)}`);
  const both = given.unset.find((name) => name in set);
  if (both !== undefined) command.error(`error: --${wordOf(both)} is set and unset at once`);
  const odd = Object.entries(set).find(([name, value]) => !shapes[name]?.safeParse(value).success);
  if (odd !== undefined) command.error(`error: --${wordOf(odd[0])} can not be ${odd[1]} for a ${kind}`);
  if (named.length === 0) command.error('error: give a limit to set, or --unset <name>');
  return { set, unset: given.unset };
}
