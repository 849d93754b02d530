import type { Lead, LeadKey } from '../../../shared/leads/lead.ts';
import { addMilliseconds, paginateLeads } from '../../../shared/leads/paginate-leads.ts';
import type { LeadIndexReader, LeadRange } from '../../../shared/leads/ports.ts';

/** The ids of leads that are in an export already, of however many. */
export type ExportedIds = {
  add(leadIds: readonly string[]): Promise<void>;
  /** Takes those out of the set that are in the export. */
  removeFrom(leadIds: Set<string>): Promise<void>;
};

export type ExportPorts = {
  index: LeadIndexReader;
  exported: ExportedIds;
  /** Waits as long as a write may take to show in the index. */
  settle(): Promise<void>;
};

const BATCH = 100;
/** Batches that are read while an earlier one is used; a batch of the largest leads has 30 MB. */
const BATCHES_AHEAD = 4;
/** More than the clocks of two functions, and an index and its table, are ever apart. */
const RECENT_MS = 10_000;
/** The second one finds what stood at no place while the first one passed. */
const RECENT_WALKS = 2;

/**
 * All leads of a funnel in batches, those of the range if there is one: oldest last submit first, each exactly once,
 * whatever is submitted meanwhile.
 *
 * A lead that is submitted during the export moves to the end of the index. So the quiet part is walked first, where
 * leads only ever leave; then what is recent by now, without those that the export has already. Memory holds the ids
 * of the recent ones, not of all.
 */
export async function* exportLeads(
  { index, exported, settle }: ExportPorts,
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
  for (let walk = 0; walk < RECENT_WALKS; walk++) {
    await settle();
    const recent = new Set<string>();
    for await (const leadId of idsIn({ from: later(range.from, recentFrom), to: range.to })) recent.add(leadId);
    await exported.removeFrom(recent);
    await exported.add([...recent]);
    for await (const { records } of read(recent)) yield records;
  }
}

/** From here on leads may move while the export runs: told by the leads themselves, as the operator's clock may be wrong. */
async function recentStart(index: LeadIndexReader, funnelId: string): Promise<string> {
  for await (const { submittedAt } of paginateLeads(index, { funnelId, order: 'newest first', limit: 1 })) {
    return addMilliseconds(submittedAt, -RECENT_MS);
  }
  return new Date(0).toISOString();
}

const earlier = (one: string | undefined, other: string): string => (one !== undefined && one < other ? one : other);
const later = (one: string | undefined, other: string): string => (one !== undefined && one > other ? one : other);

type Batch = { keys: LeadKey[]; records: Lead[] };

/** Reads the leads in batches, some ahead of the one that is used, in order. */
async function* readAll(
  index: LeadIndexReader,
  funnelId: string,
  leadIds: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<Batch> {
  const underWay: Promise<Batch>[] = [];
  const begin = (keys: LeadKey[]) => {
    const batch = index.getLeads(keys).then((records) => ({ keys, records }));
    // Whoever awaits it sees the failure; until then it is nobody's.
    batch.catch(() => undefined);
    underWay.push(batch);
  };
  let keys: LeadKey[] = [];
  for await (const leadId of leadIds) {
    keys.push({ funnelId, leadId });
    if (keys.length < BATCH) continue;
    begin(keys);
    keys = [];
    const first = underWay.length > BATCHES_AHEAD ? underWay.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  if (keys.length > 0) begin(keys);
  for (const batch of underWay) yield await batch;
}
