import type { Fact } from './fact.ts';

/**
 * Tombstones of erased sessions and leads. They outlive any event that may still arrive: reads of fresh facts leave out
 * erased sessions, so that no query, compaction or rebuild counts their late events. ADR 0019.
 */
export type TombstoneRepository = {
  /** Durable once it resolves. Adding a session again restarts its TTL. */
  addSessions(funnelId: string, sessionKeys: readonly bigint[]): Promise<void>;
  /**
   * Adds leads whose sessions are erased, including sessions that mention the lead only in later events (see
   * `eraseLateEvents`). Durable once it resolves.
   */
  addLeads(funnelId: string, leadIds: readonly string[]): Promise<void>;
  /** Leads of all funnels; eventually consistent. */
  listAllLeads(): Promise<{ funnelId: string; leadId: string }[]>;
  /** Strongly consistent. */
  listSessionKeys(funnelId: string): Promise<bigint[]>;
  /** Sessions of all funnels, and when each was erased (ms since the epoch); eventually consistent. */
  listAllSessions(): Promise<{ funnelId: string; sessionKey: bigint; sinceMs: number }[]>;
  /** The fresh items with facts of these sessions: the number of such facts, and the other facts. */
  findFreshItems(
    funnelId: string,
    sessionKeys: ReadonlySet<bigint>,
  ): AsyncIterable<{ ref: string; erased: number; others: Fact[] }>;
};

/** The stream keeps records for 7 days, and accepts events that are 30 days old; one day for clock differences. */
export const TOMBSTONE_TTL_DAYS = 38;
