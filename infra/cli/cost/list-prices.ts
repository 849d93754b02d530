import list from './prices.json' with { type: 'json' };

export type PriceName = keyof typeof list.prices;
export type QuotaName = keyof typeof list.quotas;

/** A list price. Each tier holds up to so many units a month, the last one all others; `perUnits` of them cost its dollars. */
export type Price = {
  service: string;
  unit: string;
  perUnits: number;
  tiers: readonly { upTo?: number; dollars: number }[];
  /** The public page. */
  page: string;
  /** Where the figure was read besides; absent: nobody has verified it, */
  readIn?: string;
  /** and this is the year that it is known from. */
  lastKnown?: string;
};

export const PRICES: Readonly<Record<PriceName, Price>> = list.prices;
export const QUOTAS: Readonly<
  Record<QuotaName, { value: number; unit: string; page: string; readIn?: string; lastKnown?: string }>
> = list.quotas;
export const LIST = { region: list.region, date: list.date };

/** What so many units cost in a month, in dollars: each tier's share at its own price. */
export function dollarsFor({ tiers, perUnits }: Price, quantity: number): number {
  let dollars = 0;
  let from = 0;
  for (const { upTo = Number.POSITIVE_INFINITY, dollars: each } of tiers) {
    dollars += (Math.max(0, Math.min(quantity, upTo) - from) / perUnits) * each;
    from = upTo;
  }
  return dollars;
}
