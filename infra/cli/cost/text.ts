import type { StageKind } from '../../settings/stage-name.ts';
import { formatTable } from '../terminal/table.ts';
import { hangingIndent } from '../terminal/wrap-text.ts';
import { formatCompact } from './amount.ts';
import { type Bill, sum } from './bill.ts';
import type { capacityLimits } from './capacity-limits.ts';
import { LIST, PRICES, type PriceName, QUOTAS } from './list-prices.ts';
import { pipelineVolumes } from './pipeline-volumes.ts';
import { provisioned } from './storage.ts';
import { COST_CATEGORIES, type CostCategory } from './usage.ts';
import type { Volumes } from './volumes.ts';

export type Month = { volumes: Volumes; bill: Bill; limits: ReturnType<typeof capacityLimits> };

type Columns = number | undefined;
const EXCEEDED_SHOWN_MAX = 4;
/** Services that are billed per message, token or minute. */
const PER_UNIT_SERVICES = ['End User Messaging', 'SES', 'Bedrock', 'ElevenLabs (not AWS)'];

/** Formats an amount of dollars. Amounts below 100 dollars include cents. */
const money = (dollars: number): string =>
  dollars.toLocaleString(
    'en',
    dollars < 100 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumFractionDigits: 0 },
  );

const named = ({ events, sessions, leads }: Volumes): string =>
  `${formatCompact(events)} events, ${formatCompact(sessions)} sessions and ${formatCompact(leads)} leads`;

/**
 * Formats the report of one month: the cost by service and category, and the limits that are exceeded most. If no
 * limit is exceeded, the report contains the limit that is closest to being exceeded.
 */
export function monthText(month: Month, stage: StageKind, columns: Columns): string {
  const { volumes, bill } = month;
  const categories = Object.keys(COST_CATEGORIES) as CostCategory[];
  const cells = (dollars: Record<CostCategory, number>) => [
    ...categories.map((category) => money(dollars[category])),
    money(sum(dollars)),
  ];
  const rows = bill.services.map(({ service, dollars }) => [service, ...cells(dollars)]);
  const head = ['Dollars per month', ...Object.values(COST_CATEGORIES), 'Total'];
  return [
    `A month of ${named(volumes)}, stage ${stage}.\n`,
    formatTable({ head, columns: undefined, widths: [], aligns: ['left', ...rights(head)] }, [
      ...rows,
      ['Total', ...cells(bill.categories)],
    ]),
    eachText(month, columns),
    limitsText(month, columns),
    footnotes(columns),
  ].join('\n');
}

/**
 * Formats the report of several months: their costs side by side, and for each month the limits that are exceeded
 * most. If a month exceeds no limit, the report contains the limit that is closest to being exceeded.
 */
export function comparison(months: readonly Month[], stage: StageKind, columns: Columns): string {
  const head = [
    `Dollars per month, stage ${stage}`,
    ...months.map(({ volumes }) => `${formatCompact(volumes.events)} events`),
  ];
  const row = (name: string, of: (month: Month) => number) => [name, ...months.map((month) => money(of(month)))];
  const names = months.at(-1)?.bill.services.map(({ service }) => service) ?? [];
  const categories = Object.keys(COST_CATEGORIES) as CostCategory[];
  return [
    formatTable({ head, columns: undefined, widths: [], aligns: ['left', ...rights(head)] }, [
      ...names.map((name) => row(name, ({ bill }) => serviceDollars(bill, [name]))),
      row('Total', ({ bill }) => bill.total),
      ...categories.map((category) => row(`  ${COST_CATEGORIES[category]}`, ({ bill }) => bill.categories[category])),
      row('  without per-unit costs', ({ bill }) => bill.total - serviceDollars(bill, PER_UNIT_SERVICES)),
      row('Leads, per 1,000 leads', thousandLeads),
      row('Analytics, per 1M events', millionEvents),
      row('Kinesis with provisioned shards', ({ volumes }) => provisioned(pipelineVolumes(volumes)).dollars),
    ]),
    ...months.map(
      (month) =>
        `${named(month.volumes)}, ${formatCompact(month.volumes.funnels)} funnels:\n${limitsText(month, columns)}`,
    ),
    footnotes(columns),
  ].join('\n');
}

const rights = (head: readonly string[]) => head.slice(1).map(() => 'right' as const);

const serviceDollars = ({ services }: Bill, names: readonly string[]): number =>
  services.filter(({ service }) => names.includes(service)).reduce((all, { dollars }) => all + sum(dollars), 0);

export const thousandLeads = ({ volumes: { leads }, bill }: Month): number =>
  leads === 0 ? 0 : (bill.categories.leads / leads) * 1e3;
export const millionEvents = ({ volumes: { events }, bill }: Month): number =>
  events === 0 ? 0 : (bill.categories.numbers / events) * 1e6;

function eachText(month: Month, columns: Columns): string {
  const { shards, dollars } = provisioned(pipelineVolumes(month.volumes));
  return [
    `1,000 leads cost $${money(thousandLeads(month))}, and 1M analytics events $${money(millionEvents(month))}.`,
    'Total without per-unit costs (SMS, e-mail, model, voice): ' +
      `$${money(month.bill.total - serviceDollars(month.bill, PER_UNIT_SERVICES))}.`,
    `Kinesis with provisioned shards (${shards.toLocaleString('en')} for the busiest second): $${money(dollars)}.`,
  ]
    .map((line) => hangingIndent('', line, columns))
    .join('');
}

function limitsText({ limits }: Month, columns: Columns): string {
  const broken = limits.filter(({ share }) => share > 1);
  const shown = broken.length > 0 ? broken.slice(0, EXCEEDED_SHOWN_MAX) : limits.slice(0, 1);
  const lines = shown.map(({ what, load, capacity, unit, share, beyond, lever }, at) => {
    const part =
      share < 0.01
        ? 'less than 1 % of'
        : share > 1
          ? `${formatCompact(share)} times`
          : `${Math.round(100 * share)} % of`;
    const lead = broken.length === 0 ? 'Closest to its limit: ' : at === 0 ? 'Exceeded first: ' : 'Exceeded next: ';
    return hangingIndent(
      '  ',
      `${lead}${what}, at ${part} its capacity (${formatCompact(load)} of ${formatCompact(capacity)} ${unit}). ` +
        `Effect if exceeded: ${beyond}. Remedy: ${lever}.`,
      columns,
    );
  });
  return lines.join('');
}

export const unverified = (): PriceName[] =>
  (Object.keys(PRICES) as PriceName[]).filter((name) => PRICES[name].readIn === undefined);

function footnotes(columns: Columns): string {
  const doubtful = unverified().map((name) => {
    const { service, unit, tiers, lastKnown } = PRICES[name];
    return `${service}, ${unit}: $${tiers[0]?.dollars} in ${lastKnown}`;
  });
  const quotas = Object.values(QUOTAS).filter(({ readIn }) => readIn === undefined);
  return [
    `List prices of ${LIST.region} as of ${LIST.date}, before tax, without free tiers and discounts. ` +
      'Times and sizes that only a deployment can measure are estimates (infra/cli/cost/assumptions.ts). ' +
      'The busiest second is assumed to be four times the average.',
    `Unverified prices: ${doubtful.join('; ')}. ` +
      `Unverified quotas: ${quotas.map(({ value, unit }) => `${formatCompact(value)} ${unit}`).join('; ')}. ` +
      'The sources are in infra/cli/cost/prices.json.',
    'Before the first visitor, ask AWS to raise the SMS limit of $1 per month and to move SES out of its sandbox.',
  ]
    .map((note) => hangingIndent('* ', note, columns))
    .join('');
}
