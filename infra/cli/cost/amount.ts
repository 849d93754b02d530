const FORM = /^(\d[\d_]*(?:\.\d+)?(?:e\d{1,2})?)\s?([kKmMbBtT]?)$/;
const TIMES: Record<string, number> = { '': 1, k: 1e3, m: 1e6, b: 1e9, t: 1e12 };
/** The largest accepted amount. It is below 9e15, because a double cannot represent every integer above 9e15. */
const AMOUNT_MAX = 1e15;

/**
 * Parses an amount such as `1e8`, `10M`, `2.5k`, `1_000` or `1,000`. Returns undefined if it is invalid or too large.
 */
export function parseAmount(text: string): number | undefined {
  const [, number = '', suffix = ''] = FORM.exec(text.trim().replaceAll(/,(?=\d{3}(?:\D|$))/g, '')) ?? [];
  const amount = Number(number.replaceAll('_', '')) * (TIMES[suffix.toLowerCase()] ?? Number.NaN);
  return number !== '' && amount <= AMOUNT_MAX ? amount : undefined;
}

/** Formats an amount with at most three significant digits: `1.25B`, `48.2M`, `12.5k`, `7`. */
export function formatCompact(amount: number): string {
  // Rounds before it selects the unit. Otherwise, 999,600 would become `1000k`, not `1M`.
  const rounded = Number(amount.toPrecision(3));
  const [times, suffix] = (
    [
      [1e12, 'T'],
      [1e9, 'B'],
      [1e6, 'M'],
      [1e3, 'k'],
    ] as const
  ).find(([least]) => rounded >= least) ?? [1, ''];
  return `${Number((rounded / times).toPrecision(3))}${suffix}`;
}
