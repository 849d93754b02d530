import type { Dimension } from './criteria.ts';

/** Number of sessions, and how many of them started and how many completed. */
export type Counts = { sessions: number; starts: number; completions: number };

/**
 * Sessions are grouped by quarter hours since the epoch, because all current UTC offsets are multiples of a quarter
 * hour. Local hours and days therefore consist of whole quarter hours.
 */
export const QUARTER_HOUR_MS = 15 * 60_000;

export const TOP_VALUES_MAX = 100;

/** What sessions are grouped by: a dimension or the quarter hour of their first event. */
export type Grouping = Dimension | 'quarterHour';

/**
 * For each grouping, maps its values to counts. The value of a quarter hour is floor(first time / QUARTER_HOUR_MS), as
 * text.
 */
export type CountsByGroup<G extends Grouping = Grouping> = Record<G, ReadonlyMap<string, Counts>>;
