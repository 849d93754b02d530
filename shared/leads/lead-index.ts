import type { LeadKey } from './lead.ts';
import type { Shard } from './lead-item.ts';
import type { LeadRecord } from './lead-record.ts';

/** Where a lead stands among its funnel's leads: by its last submit, ISO 8601 UTC with milliseconds. */
export type LeadPosition = { submittedAt: string; leadId: string };

/** Bounds of the last submit, both inclusive; absent ones are open. */
export type LeadRange = { from?: string | undefined; to?: string | undefined };

export type LeadOrder = 'oldest first' | 'newest first';

export type PageQuery = LeadRange & {
  funnelId: string;
  shard: Shard;
  order: LeadOrder;
  /** The last position of the page before. */
  after?: LeadPosition | undefined;
  /** The most positions of a page; absent: as many as one answer holds. */
  limit?: number | undefined;
};

/**
 * A funnel's leads for its operators. Positions may be seen late and are not seen at one instant: a lead that is
 * submitted again moves to the end, and for a moment it may stand at both places or at none. Records are the present ones.
 */
export type LeadIndex = {
  /** One page of a shard's positions, in order. */
  page(query: PageQuery): Promise<{ positions: LeadPosition[]; isLast: boolean }>;
  /** The leads in the order asked for, without those that are gone by now. */
  records(keys: readonly LeadKey[]): Promise<LeadRecord[]>;
};
