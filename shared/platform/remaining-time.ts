/** The remaining run time of a function. With it, work stops at a safe point before Lambda ends the function. */
export type RemainingTime = { remainingMs(): number };
