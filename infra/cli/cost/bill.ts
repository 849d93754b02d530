import type { StageKind } from '../../settings/stage-name.ts';
import { deliveries, notificationMails } from './deliveries.ts';
import { executions, gigabyteSeconds } from './executions.ts';
import { fixedCosts, perUnitCosts } from './fixed-costs.ts';
import { dollarsFor, PRICES, type PriceName } from './list-prices.ts';
import { requireCompleteModel } from './model-gaps.ts';
import { pipelineVolumes } from './pipeline-volumes.ts';
import { storage } from './storage.ts';
import { tables } from './tables.ts';
import { COST_CATEGORIES, type CostCategory, type Usage } from './usage.ts';
import type { Volumes } from './volumes.ts';

/** Cost of a month, in US dollars. */
export type Bill = {
  total: number;
  /** Cost by service and cost category, the most expensive service first. */
  services: { service: string; dollars: Record<CostCategory, number> }[];
  categories: Record<CostCategory, number>;
  quantities: Partial<Record<PriceName, number>>;
};

/** Log retention in months (stages.ts). */
const LOG_MONTHS = { dev: 0.25, preview: 0.25, prod: 3 } as const satisfies Record<StageKind, number>;

/** @throws UserError if the cost model lacks a declared function */
export function billOf(volumes: Volumes, stage: StageKind): Bill {
  requireCompleteModel();
  const pipeline = pipelineVolumes(volumes);
  const aggregating: Usage = {
    price: 'lambdaGigabyteSecond',
    category: 'numbers',
    quantity: gigabyteSeconds('background/aggregate-events', pipeline.batches),
  };
  return priced([
    ...executions(volumes, stage, { logs: LOG_MONTHS[stage] }),
    aggregating,
    ...tables(volumes, pipeline, stage),
    ...storage(volumes, pipeline, stage),
    ...deliveries(volumes),
    ...notificationMails(volumes),
    ...fixedCosts(stage),
    ...perUnitCosts(volumes),
  ]);
}

/**
 * Calculates the bill. Adds up all usages with the same price, because the tiers of a price apply to this sum. Then
 * divides the cost of the sum among these usages in proportion to their quantities.
 */
export function priced(usages: readonly Usage[]): Bill {
  const quantities: Partial<Record<PriceName, number>> = {};
  for (const { price, quantity } of usages) quantities[price] = (quantities[price] ?? 0) + quantity;
  const services = new Map<string, Record<CostCategory, number>>();
  const categories = nothing();
  for (const { price, quantity, category } of usages) {
    const all = quantities[price] ?? 0;
    const dollars = all === 0 ? 0 : (dollarsFor(PRICES[price], all) * quantity) / all;
    const row = services.get(PRICES[price].service) ?? nothing();
    row[category] += dollars;
    categories[category] += dollars;
    services.set(PRICES[price].service, row);
  }
  const total = sum(categories);
  const rows = [...services].map(([service, dollars]) => ({ service, dollars }));
  return { total, categories, quantities, services: rows.toSorted((a, b) => sum(b.dollars) - sum(a.dollars)) };
}

const nothing = (): Record<CostCategory, number> => ({ pages: 0, leads: 0, numbers: 0, training: 0, fixed: 0 });
export const sum = (dollars: Record<CostCategory, number>): number =>
  (Object.keys(COST_CATEGORIES) as CostCategory[]).reduce((all, category) => all + dollars[category], 0);
