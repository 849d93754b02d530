import { type Command, Option } from 'commander';
import type { CliContext, CommandGroup } from '../cli-context.ts';
import type { EnvironmentOptions } from '../environment/target-environment.ts';
import { parseCount } from '../program/options.ts';
import { onOrganization } from '../program/organization-argument.ts';
import { type ChangeOptions, type ShowOptions, setPeriods, showPeriods, unsetPeriods } from './periods.ts';
import { type RunOptions, runRetention } from './run.ts';

const DAYS_MAX = 36_500;
const KINDS = [
  ['lead', 'leads with their files, after their last submit; a funnel may have a shorter time'],
  ['call', 'training calls with transcript and recording, after they were opened'],
  ['recording', 'recordings of training calls alone'],
] as const;

/** `retention show|set|unset|run`: how long an organization keeps what people leave with it. */
export const retention: CommandGroup = (program, admin) => {
  const group = program
    .command('retention')
    .description('How long an organization keeps leads, training calls and recordings.')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nWithout a period, things are kept until somebody erases them. What is older is\nerased once a day, by background/enforce-retention; "run" does it at once for\none organization.',
    );
  const command = commandOf(group, admin);
  command<ShowOptions>('show', 'Shows the periods.', showPeriods).option(
    '--preview',
    'counts what the next run erases',
  );
  const set = command<ChangeOptions>('set', 'Sets periods; the others stay as they are.', setPeriods);
  for (const [kind, what] of KINDS) set.option(`--${kind}-days <days>`, what, parseCount(1, DAYS_MAX));
  const unset = command<ChangeOptions>('unset', 'Takes periods away: things are kept from then on.', unsetPeriods);
  for (const [kind, what] of KINDS) unset.addOption(new Option(`--${kind}-days`, what));
  const run = command<RunOptions>('run', 'Erases what is older than the periods, now.', runRetention);
  for (const one of [set, run]) {
    one.option('--dry-run', 'counts what would be erased, and changes nothing');
    one.option('--yes', 'goes on without asking');
  }
};

/** Adds a command on one organization. */
const commandOf =
  (group: Command, { terminal, connect }: CliContext) =>
  <Options>(
    name: string,
    description: string,
    work: (orgId: string, options: EnvironmentOptions & Options, to: CliContext['terminal']) => Promise<void>,
  ): Command =>
    onOrganization(group, name, description)
      .option('--json', 'one JSON object')
      .action(async (orgId: string, _, command: Command) => {
        const options = command.optsWithGlobals<EnvironmentOptions & Options>();
        await connect(options);
        await work(orgId, options, terminal);
      });
