import type { Shard } from './aws/lead-item.ts';
import type { Lead } from './aws/parse-lead-item.ts';
import type { LeadKey } from './lead.ts';

/** Where a lead stands among its funnel's leads: by its last submit, ISO 8601 UTC with milliseconds. */
export type LeadIndexEntry = { submittedAt: string; leadId: string };

/** Bounds of the last submit, both inclusive; absent ones are open. */
export type LeadRange = { from?: string | undefined; to?: string | undefined };

export type LeadOrder = 'oldest first' | 'newest first';

export type LeadIndexQuery = LeadRange & {
  funnelId: string;
  shard: Shard;
  order: LeadOrder;
  /** The last position of the page before. */
  after?: LeadIndexEntry | undefined;
  /** The most positions of a page; absent: as many as one answer holds. */
  limit?: number | undefined;
};

/**
 * A funnel's leads for its operators. Positions may be seen late and are not seen at one instant: a lead that is
 * submitted again moves to the end, and for a moment it may stand at both places or at none. Records are the present ones.
 */
export type LeadIndexReader = {
  /** One page of a shard's positions, in order. */
  listEntries(query: LeadIndexQuery): Promise<{ entries: LeadIndexEntry[]; isLast: boolean }>;
  /** The leads in the order asked for, without those that are gone by now. */
  getLeads(keys: readonly LeadKey[]): Promise<Lead[]>;
};
