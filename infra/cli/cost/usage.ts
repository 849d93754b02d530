import type { PriceName } from './list-prices.ts';

/**
 * What a cost is for. `pages` includes AI replies and custom domains, `leads` includes codes and uploads, and `fixed`
 * costs occur without any traffic.
 */
export const COST_CATEGORIES = {
  pages: 'Pages',
  leads: 'Leads',
  numbers: 'Analytics',
  training: 'Training',
  fixed: 'Fixed',
} as const;
export type CostCategory = keyof typeof COST_CATEGORIES;

/** A monthly quantity with a price. */
export type Usage = { price: PriceName; quantity: number; category: CostCategory };

export const DAYS = 30;
export const HOURS = 24 * DAYS;
export const SECONDS = 3_600 * HOURS;
export const KB = 1_024;
/** A gigabyte as AWS bills it. */
export const GB = 1_024 ** 3;
