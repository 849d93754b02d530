import type { Dimension } from './criteria.ts';

/** How many sessions, and how many of them started and completed. */
export type Counts = { sessions: number; starts: number; completions: number };

/** Sessions are grouped by quarter hours since the epoch: days and hours of every time zone consist of them. */
export const QUARTER_HOUR_MS = 15 * 60_000;

/** The length of a list of top values. */
export const TOP_VALUES_MAX = 100;

/** What sessions are grouped by: a dimension of their first event, or its quarter hour. */
export type Grouping = Dimension | 'quarterHour';

/** Counts by value for each grouping. A quarter hour's value is floor(first time / QUARTER_HOUR_MS), as text. */
export type CountsByGroup<G extends Grouping = Grouping> = Record<G, ReadonlyMap<string, Counts>>;
