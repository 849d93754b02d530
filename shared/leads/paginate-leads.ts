import { ERASING_SHARD, INDEX_SHARD_COUNT, type IndexShard, shardOfLead } from './index-shards.ts';
import type { LeadIndexEntry, LeadIndexReader, LeadOrder, LeadRange } from './ports.ts';

type Pagination = LeadRange & {
  funnelId: string;
  order: LeadOrder;
  /** The last entry of an earlier pagination in the same order. The pagination continues after this entry. */
  after?: LeadIndexEntry | undefined;
  /** Page size per shard. */
  limit?: number | undefined;
};

type EntryReader = Pick<LeadIndexReader, 'listEntries'>;

/**
 * Lists a funnel's leads by the time of their last submit. Leads that were last submitted in the same millisecond are
 * ordered by shard, and within a shard as in the index. Keeps at most two pages per shard in memory.
 */
export async function* paginateLeads(index: EntryReader, pagination: Pagination): AsyncGenerator<LeadIndexEntry> {
  const shards = Array.from({ length: INDEX_SHARD_COUNT }, (_, shard) =>
    prefetch(shardPages(index, pagination, shard)),
  );
  const cursors = await Promise.all(shards.map(openCursor));
  const isBefore = (one: LeadIndexEntry, other: LeadIndexEntry): boolean =>
    pagination.order === 'oldest first' ? one.submittedAt < other.submittedAt : one.submittedAt > other.submittedAt;
  for (;;) {
    let first: Cursor | undefined;
    for (const cursor of cursors) {
      if (cursor !== undefined && (first === undefined || isBefore(cursor.entry, first.entry))) first = cursor;
    }
    if (first === undefined) return;
    yield first.entry;
    cursors[cursors.indexOf(first)] = await advance(first);
  }
}

/** Lists a funnel's leads whose erasure has started but not finished. `paginateLeads` does not include them. */
export async function* paginateErasingLeads(
  index: EntryReader,
  query: { funnelId: string; limit?: number | undefined },
): AsyncGenerator<LeadIndexEntry> {
  for await (const page of shardPages(index, { ...query, order: 'oldest first' }, ERASING_SHARD)) yield* page;
}

type NextPage = () => Promise<LeadIndexEntry[] | undefined>;
type Cursor = { entry: LeadIndexEntry; page: LeadIndexEntry[]; position: number; nextPage: NextPage };

const advance = ({ page, position, nextPage }: Cursor): Cursor | undefined | Promise<Cursor | undefined> => {
  const entry = page[position + 1];
  return entry === undefined ? openCursor(nextPage) : { entry, page, position: position + 1, nextPage };
};

async function openCursor(nextPage: NextPage): Promise<Cursor | undefined> {
  for (let page = await nextPage(); page !== undefined; page = await nextPage()) {
    const entry = page[0];
    if (entry !== undefined) return { entry, page, position: 0, nextPage };
  }
  return undefined;
}

/** Requests the next page while the current page is used. */
function prefetch(pages: AsyncGenerator<LeadIndexEntry[]>): NextPage {
  const request = () => {
    const page = pages.next();
    // Prevents an unhandled rejection. The error is thrown when the page is awaited.
    page.catch(() => undefined);
    return page;
  };
  let page = request();
  return async () => {
    const { done, value } = await page;
    if (done) return undefined;
    page = request();
    return value;
  };
}

async function* shardPages(
  index: EntryReader,
  pagination: Pagination,
  shard: IndexShard,
): AsyncGenerator<LeadIndexEntry[]> {
  const { funnelId, order, limit } = pagination;
  const range = remainingRange(pagination, shard);
  let { after } = range;
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) return;
  for (;;) {
    const { entries, isLast } = await index.listEntries({ funnelId, shard, order, limit, ...range, after });
    yield entries;
    after = entries.at(-1);
    if (isLast || after === undefined) return;
  }
}

/**
 * Returns the part of the range that remains in a shard after the entry `after`. Leads of the same millisecond are
 * ordered by shard. In the millisecond of `after`, no lead of earlier shards remains, and all leads of later shards do.
 */
function remainingRange(
  { from, to, after, order }: Pagination,
  shard: IndexShard,
): LeadRange & { after?: LeadIndexEntry } {
  if (after === undefined || shard === ERASING_SHARD) return { from, to };
  const shardAfter = shardOfLead(after.leadId);
  const isFinished = shard < shardAfter;
  const bound = isFinished ? addMilliseconds(after.submittedAt, order === 'oldest first' ? 1 : -1) : after.submittedAt;
  const range = order === 'oldest first' ? { from: bound, to } : { from, to: bound };
  return shard === shardAfter ? { ...range, after } : range;
}

export const addMilliseconds = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
