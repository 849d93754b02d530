import type { Fact } from './fact.ts';

/**
 * Facts that were stored together; `ref` names them to `remove`, and never names others. They may be decoded each time
 * that they are asked for, and throw then when they are damaged.
 */
export type FreshItem = { readonly ref: string; readonly facts: readonly Fact[] };

/**
 * Facts that are not in a file yet, as the stream brought them: a session may stand in any number of them. What is read
 * of them leaves out the sessions that are erased.
 */
export type FreshFactRepository = {
  /**
   * Stores at least one fact of a funnel, one for each session; durable once it resolves. Adding the same again, or
   * the same facts under other bounds of a redelivery, changes no number.
   *
   * @param source the first and last sequence number of the batch that the facts come from
   */
  add(funnelId: string, source: { first: string; last: string }, facts: readonly Fact[]): Promise<void>;
  /** All of a funnel's, strongly consistent and to the last page. */
  read(funnelId: string): Promise<FreshItem[]>;
  /**
   * As many of a funnel's items as hold `factsMax` facts, fewer where texts are long, at least one item, strongly consistent.
   *
   * @returns `all`: that there was nothing else when the read began
   */
  readBatch(funnelId: string, factsMax: number): Promise<{ items: FreshItem[]; all: boolean }>;
  /** Takes away exactly these; one that is gone already is no error. */
  remove(funnelId: string, refs: readonly string[]): Promise<void>;
  /** The funnels that have any, eventually consistent: how many facts, and since when the oldest waits (ms since the epoch). */
  listPendingFunnels(): Promise<{ funnelId: string; oldestMs: number; facts: number }[]>;
};
