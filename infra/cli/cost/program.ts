import { type Command, InvalidArgumentError, Option } from 'commander';
import type { StageKind } from '../../settings/stage-name.ts';
import { createSingleCommand, runProgram } from '../program/single-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatCompact, parseAmount } from './amount.ts';
import { billOf } from './bill.ts';
import { capacityLimits } from './capacity-limits.ts';
import { LIST } from './list-prices.ts';
import { comparison, type Month, millionEvents, monthText, thousandLeads, unverified } from './text.ts';
import { type Given, INPUTS, type Input, optionOf, volumesOf, wordsOf } from './volumes.ts';

type CostOptions = Given & { stage: StageKind; json?: true; compare?: true };

const COMPARED = [1e6, 1e8, 1e10];

/**
 * Runs `npm run cost`.
 *
 * @param args without node and the script
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export const runCost = (args: readonly string[], terminal: Terminal): Promise<number> =>
  runProgram(programOf(terminal), args, terminal);

function programOf(terminal: Terminal): Command {
  const program = createSingleCommand('npm run cost --', terminal)
    .description(
      'Estimates the monthly cost of a stage (AWS and ElevenLabs) in US dollars, from list prices and the AWS calls ' +
        'that the code makes. Needs no AWS account. To estimate one month, give at least one of --events, --sessions ' +
        'and --leads. Every amount that is not given has a default.',
    )
    .optionsGroup('Amounts for one month, such as 1e8, 10M or 2.5k (in parentheses: the default):');
  for (const input of INPUTS) program.option(`${optionOf(input.name)} <amount>`, aboutOf(input), amount);
  return program
    .optionsGroup('Other options:')
    .addOption(
      new Option('--stage <stage>', 'kind of stage to estimate; preview means any preview stage')
        .choices(['dev', 'prod', 'preview'])
        .default('prod'),
    )
    .addOption(
      new Option(
        '--compare',
        'compare months with 1M, 100M and 10B events, instead of estimating one month; the default if none of ' +
          '--events, --sessions and --leads is given; cannot be combined with --events',
      ).conflicts('events'),
    )
    .option('--json', 'print JSON instead of text')
    .action((options: CostOptions) => printReport(options, terminal));
}

function aboutOf({ about, byDefault }: Input): string {
  if (byDefault === undefined) return about;
  if (typeof byDefault === 'number') return `${about} (${byDefault})`;
  const { times, of, whole } = byDefault;
  const each = whole
    ? `one per ${formatCompact(1 / times)} ${wordsOf(of)}`
    : times === 1
      ? `as many as ${wordsOf(of)}`
      : `${times} x ${wordsOf(of)}`;
  return `${about} (${each})`;
}

function amount(given: string): number {
  const parsed = parseAmount(given);
  if (parsed === undefined) throw new InvalidArgumentError('Give a number such as 1e8, 10M or 2.5k, up to 1e15.');
  return parsed;
}

function printReport({ stage, json, compare, ...given }: CostOptions, terminal: Terminal): Promise<void> {
  const single = Object.keys(given).some((name) => name in ROOT_NAMES);
  const months =
    single && !compare ? [monthOf(given, stage)] : COMPARED.map((events) => monthOf({ ...given, events }, stage));
  if (json) return terminal.write(`${JSON.stringify(jsonOf(months, stage), undefined, 2)}\n`);
  const [month] = months;
  return terminal.write(
    month !== undefined && months.length === 1
      ? monthText(month, stage, terminal.columns)
      : comparison(months, stage, terminal.columns),
  );
}

const ROOT_NAMES = { events: true, sessions: true, leads: true };

function monthOf(given: Given, stage: StageKind): Month {
  const volumes = volumesOf(given);
  return { volumes, bill: billOf(volumes, stage), limits: capacityLimits(volumes) };
}

const jsonOf = (months: readonly Month[], stage: StageKind) => ({
  ...LIST,
  stage,
  unverified: unverified(),
  months: months.map((month) => {
    const { volumes, bill, limits } = month;
    const { total, categories, services, quantities } = bill;
    const each = { thousandLeads: thousandLeads(month), millionEvents: millionEvents(month) };
    return { volumes, total, each, categories, services, quantities, limits };
  }),
});
