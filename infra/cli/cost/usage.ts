import type { PriceName } from './list-prices.ts';

/** For what something is paid; fixed is what is paid although nothing happens. */
export const COST_CATEGORIES = {
  pages: 'Pages served',
  leads: 'Leads saved',
  numbers: 'Numbers fresh',
  training: 'Training',
  fixed: 'Fixed',
} as const;
export type CostCategory = keyof typeof COST_CATEGORIES;

/** So much of what has a price, in a month. */
export type Usage = { price: PriceName; quantity: number; question: CostCategory };

export const DAYS = 30;
export const HOURS = 24 * DAYS;
export const SECONDS = 3_600 * HOURS;
export const KB = 1_024;
/** Of data, as AWS bills it. */
export const GB = 1_024 ** 3;
