import type { Lead, LeadKey } from '../../../shared/leads/lead.ts';
import { addMilliseconds, paginateLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexReader, LeadRange } from '../../../shared/leads/ports.ts';

/** The ids of the leads that are already exported. Their number is not limited. */
export type ExportedIdSet = {
  add(leadIds: readonly string[]): Promise<void>;
  /** Removes from `leadIds` the ids that are already exported. */
  removeFrom(leadIds: Set<string>): Promise<void>;
};

export type ExportPorts = {
  index: LeadIndexReader;
  exported: ExportedIdSet;
  /** Waits as long as a write may take to become visible in the index. */
  waitForIndex(): Promise<void>;
};

const BATCH = 100;
/** Number of batches that are read ahead. It is small, because a batch of leads of the maximum size has 30 MB. */
const BATCHES_AHEAD = 4;
/**
 * The recent part of the index begins this long before the last submit that preceded the export. The time must be
 * longer than the delay of the index plus the difference between the clocks of two functions.
 */
const RECENT_MS = 10_000;
/**
 * Number of passes over the recent part of the index. A lead that moves in the index can be absent for a moment. If the
 * first pass misses such a lead, the second pass finds it.
 */
const RECENT_PASSES = 2;

/**
 * Reads, in batches, the leads of a funnel whose latest submit is in the range. Leads are ordered by their latest
 * submit, oldest first. Recent leads come last, in any order. No lead is exported twice, even if leads are submitted
 * during the export. A lead is not exported if `getLeads` omits it, or if a submit moves it out of the range during the
 * export.
 *
 * A submit during the export moves its lead to the end of the index. Leads can therefore leave the old part of the
 * index, but not enter it. The old part is exported first, and then the recent leads that are not exported yet. Memory
 * holds a few batches of leads and the ids of recent leads.
 */
export async function* leadBatches(
  { index, exported, waitForIndex }: ExportPorts,
  funnelId: string,
  range: LeadRange = {},
): AsyncGenerator<Lead[]> {
  const recentFrom = await recentStart(index, funnelId);
  const read = (leadIds: AsyncIterable<string> | Iterable<string>) => readAll(index, funnelId, leadIds);
  const idsIn = async function* (part: LeadRange) {
    for await (const { leadId } of paginateLeads(index, { ...part, funnelId, order: 'oldest first' })) yield leadId;
  };

  for await (const { keys, records } of read(
    idsIn({ ...range, to: earlier(range.to, addMilliseconds(recentFrom, -1)) }),
  )) {
    await exported.add(keys.map(({ leadId }) => leadId));
    yield records;
  }
  if (range.to !== undefined && range.to < recentFrom) return;
  for (let pass = 0; pass < RECENT_PASSES; pass++) {
    await waitForIndex();
    const recent = new Set<string>();
    for await (const leadId of idsIn({ from: later(range.from, recentFrom), to: range.to })) recent.add(leadId);
    await exported.removeFrom(recent);
    await exported.add([...recent]);
    for await (const { records } of read(recent)) yield records;
  }
}

/**
 * Returns the time at which the recent part of the index begins. The time is derived from the latest submit, because
 * the operator's clock may be wrong. Returns 1970 if the funnel has no lead.
 */
async function recentStart(index: LeadIndexReader, funnelId: string): Promise<string> {
  for await (const { submittedAt } of paginateLeads(index, { funnelId, order: 'newest first', limit: 1 })) {
    return addMilliseconds(submittedAt, -RECENT_MS);
  }
  return new Date(0).toISOString();
}

const earlier = (one: string | undefined, other: string): string => (one !== undefined && one < other ? one : other);
const later = (one: string | undefined, other: string): string => (one !== undefined && one > other ? one : other);

type Batch = { keys: LeadKey[]; records: Lead[] };

/** Reads the leads in batches, in the order of `leadIds`. Some batches are read ahead. */
async function* readAll(
  index: LeadIndexReader,
  funnelId: string,
  leadIds: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<Batch> {
  const pending: Promise<Batch>[] = [];
  const begin = (keys: LeadKey[]) => {
    const batch = index.getLeads(keys).then((records) => ({ keys, records }));
    // Prevents an unhandled rejection. The error is thrown when the batch is awaited.
    batch.catch(() => undefined);
    pending.push(batch);
  };
  let keys: LeadKey[] = [];
  for await (const leadId of leadIds) {
    keys.push({ funnelId, leadId });
    if (keys.length < BATCH) continue;
    begin(keys);
    keys = [];
    const first = pending.length > BATCHES_AHEAD ? pending.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  if (keys.length > 0) begin(keys);
  for (const batch of pending) yield await batch;
}
