import { ERASING_SHARD, INDEX_SHARD_COUNT, type Shard, shardOfLead } from './aws/lead-item.ts';
import type { LeadIndexEntry, LeadIndexReader, LeadOrder, LeadRange } from './lead-index.ts';

type Walk = LeadRange & {
  funnelId: string;
  order: LeadOrder;
  /** Where an earlier walk of this order ended. */
  after?: LeadIndexEntry | undefined;
  limit?: number | undefined;
};

/**
 * The positions of a funnel's leads in order: by their last submit, of the same millisecond by shard, within a shard as
 * the index has them. Holds two pages a shard, whatever the funnel's size.
 */
export async function* paginateLeads(
  index: Pick<LeadIndexReader, 'listEntries'>,
  walk: Walk,
): AsyncGenerator<LeadIndexEntry> {
  const shards = Array.from({ length: INDEX_SHARD_COUNT }, (_, shard) => oneAhead(shardPages(index, walk, shard)));
  const heads = await Promise.all(shards.map(headOf));
  const comesFirst = (one: LeadIndexEntry, other: LeadIndexEntry): boolean =>
    walk.order === 'oldest first' ? one.submittedAt < other.submittedAt : one.submittedAt > other.submittedAt;
  for (;;) {
    let first: Head | undefined;
    for (const head of heads) {
      if (head !== undefined && (first === undefined || comesFirst(head.position, first.position))) first = head;
    }
    if (first === undefined) return;
    yield first.position;
    const at = heads.indexOf(first);
    heads[at] = await following(first);
  }
}

/** The positions of a funnel's leads whose erasure has begun and not ended, which no other walk comes to. */
export async function* paginateErasingLeads(
  index: Pick<LeadIndexReader, 'listEntries'>,
  walk: { funnelId: string; limit?: number | undefined },
): AsyncGenerator<LeadIndexEntry> {
  for await (const page of shardPages(index, { ...walk, order: 'oldest first' }, ERASING_SHARD)) yield* page;
}

type Pages = () => Promise<LeadIndexEntry[] | undefined>;
type Head = { position: LeadIndexEntry; page: LeadIndexEntry[]; at: number; next: Pages };

const following = ({ page, at, next }: Head): Head | undefined | Promise<Head | undefined> => {
  const position = page[at + 1];
  return position === undefined ? headOf(next) : { position, page, at: at + 1, next };
};

async function headOf(next: Pages): Promise<Head | undefined> {
  for (let page = await next(); page !== undefined; page = await next()) {
    const position = page[0];
    if (position !== undefined) return { position, page, at: 0, next };
  }
  return undefined;
}

/** The next page is under way while the one before it is used. */
function oneAhead(pages: AsyncGenerator<LeadIndexEntry[]>): Pages {
  const begin = () => {
    const page = pages.next();
    // Whoever awaits it sees the failure; until then it is nobody's.
    page.catch(() => undefined);
    return page;
  };
  let page = begin();
  return async () => {
    const { done, value } = await page;
    if (done) return undefined;
    page = begin();
    return value;
  };
}

async function* shardPages(
  index: Pick<LeadIndexReader, 'listEntries'>,
  walk: Walk,
  shard: Shard,
): AsyncGenerator<LeadIndexEntry[]> {
  const { funnelId, order, limit } = walk;
  const range = resumed(walk, shard);
  let { after } = range;
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) return;
  for (;;) {
    const { entries: positions, isLast } = await index.listEntries({ funnelId, shard, order, limit, ...range, after });
    yield positions;
    after = positions.at(-1);
    if (isLast || after === undefined) return;
  }
}

/** What is left of a shard after a position: of the same millisecond, earlier shards are done and later ones are not. */
function resumed({ from, to, after, order }: Walk, shard: Shard): LeadRange & { after?: LeadIndexEntry } {
  if (after === undefined || shard === ERASING_SHARD) return { from, to };
  const shardAfter = shardOfLead(after.leadId);
  const isDone = shard < shardAfter;
  const bound = isDone ? addMilliseconds(after.submittedAt, order === 'oldest first' ? 1 : -1) : after.submittedAt;
  const range = order === 'oldest first' ? { from: bound, to } : { from, to: bound };
  return shard === shardAfter ? { ...range, after } : range;
}

/** A time some milliseconds later, or earlier. */
export const addMilliseconds = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
