import type { Fact } from './fact.ts';

/**
 * Facts that were stored together. `ref` identifies the item for `remove` and is never reused. Each access of `facts`
 * may decode them, and throws when they are damaged.
 */
export type FreshItem = { readonly ref: string; readonly facts: readonly Fact[] };

/**
 * Facts that are not in a file yet. A session may have any number of them. Reads leave out erased sessions.
 */
export type FreshFactRepository = {
  /**
   * Stores at least one fact, one per session; durable once it resolves. Adding the same facts again, from the same
   * batch or another one, changes no count.
   *
   * @param source the first and last sequence number of the batch
   */
  add(funnelId: string, source: { first: string; last: string }, facts: readonly Fact[]): Promise<void>;
  /** All items of a funnel; strongly consistent. */
  read(funnelId: string): Promise<FreshItem[]>;
  /**
   * Items of a funnel with at most about `factsMax` facts (fewer when texts are long), at least one item; strongly
   * consistent.
   *
   * @returns `all`: whether the funnel had no other items when the read began
   */
  readBatch(funnelId: string, factsMax: number): Promise<{ items: FreshItem[]; all: boolean }>;
  /** Removes these items. Removing a missing item is no error. */
  remove(funnelId: string, refs: readonly string[]): Promise<void>;
  /** The funnels with fresh facts, their number, and the time of the oldest (ms since the epoch); eventually consistent. */
  listPendingFunnels(): Promise<{ funnelId: string; oldestMs: number; facts: number }[]>;
};
