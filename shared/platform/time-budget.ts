/** What a function has left of its time; it stops by itself where it can, instead of being stopped anywhere. */
export type TimeBudget = { remainingMs(): number };
