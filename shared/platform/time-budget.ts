/** The remaining run time of a function, so that it stops at a safe point before Lambda ends it. */
export type TimeBudget = { remainingMs(): number };
