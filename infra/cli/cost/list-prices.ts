import list from './prices.json' with { type: 'json' };

export type PriceName = keyof typeof list.prices;
export type QuotaName = keyof typeof list.quotas;

/**
 * A list price. `dollars` is the price of `perUnits` units. A tier applies to the units of a month up to `upTo`; the
 * last tier applies to all further units.
 */
export type Price = {
  service: string;
  unit: string;
  perUnits: number;
  tiers: readonly { upTo?: number; dollars: number }[];
  /** Address of the public page with the price. */
  page: string;
  /** The source in which the figure was read; absent if the figure is not verified. */
  readIn?: string;
  /** The year of an unverified figure. */
  lastKnown?: string;
};

export const PRICES: Readonly<Record<PriceName, Price>> = list.prices;
export const QUOTAS: Readonly<
  Record<QuotaName, { value: number; unit: string; page: string; readIn?: string; lastKnown?: string }>
> = list.quotas;
export const LIST = { region: list.region, date: list.date };

/** Calculates the cost of `quantity` units in a month, in dollars. */
export function dollarsFor({ tiers, perUnits }: Price, quantity: number): number {
  let dollars = 0;
  let from = 0;
  for (const { upTo = Number.POSITIVE_INFINITY, dollars: each } of tiers) {
    dollars += (Math.max(0, Math.min(quantity, upTo) - from) / perUnits) * each;
    from = upTo;
  }
  return dollars;
}
