import type { Fact } from './fact.ts';

/**
 * Which sessions of a funnel are erased. It is known for longer than an event can be on its way: what comes late of such
 * a session is left out of every read of fresh facts, so that no answer, compaction or rebuild takes it up again.
 */
export type TombstoneRepository = {
  /** Durable once it resolves; the same again begins its time anew. */
  addSessions(funnelId: string, sessionKeys: readonly bigint[]): Promise<void>;
  /**
   * Leads whose sessions are erased, of which not all may be known yet: what names such a lead later is erased too, see
   * `eraseLate`. Durable once it resolves.
   */
  addLeads(funnelId: string, leadIds: readonly string[]): Promise<void>;
  /** Those of all funnels, eventually consistent. */
  listAllLeads(): Promise<{ funnelId: string; leadId: string }[]>;
  /** Strongly consistent. */
  listSessionKeys(funnelId: string): Promise<bigint[]>;
  /** Those of all funnels, eventually consistent, and since when each is erased (ms since the epoch). */
  listAllSessions(): Promise<{ funnelId: string; sessionKey: bigint; sinceMs: number }[]>;
  /** The fresh items that hold anything of these sessions, and what else they hold. */
  findFreshItems(
    funnelId: string,
    sessionKeys: ReadonlySet<bigint>,
  ): AsyncIterable<{ ref: string; erased: number; others: Fact[] }>;
};

/** A stream keeps records 7 days, and takes events that are 30 days old; a day is for clocks. */
export const TOMBSTONE_TTL_DAYS = 38;
