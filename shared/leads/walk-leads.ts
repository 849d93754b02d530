import type { LeadIndex, LeadOrder, LeadPosition, LeadRange } from './lead-index.ts';
import { SEALED, SHARDS, type Shard, shardOf } from './lead-item.ts';

type Walk = LeadRange & {
  funnelId: string;
  order: LeadOrder;
  /** Where an earlier walk of this order ended. */
  after?: LeadPosition | undefined;
  limit?: number | undefined;
};

/**
 * The positions of a funnel's leads in order: by their last submit, of the same millisecond by shard, within a shard as
 * the index has them. Holds two pages a shard, whatever the funnel's size.
 */
export async function* walkLeads(index: Pick<LeadIndex, 'page'>, walk: Walk): AsyncGenerator<LeadPosition> {
  const shards = Array.from({ length: SHARDS }, (_, shard) => oneAhead(shardPages(index, walk, shard)));
  const heads = await Promise.all(shards.map(headOf));
  const comesFirst = (one: LeadPosition, other: LeadPosition): boolean =>
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
export async function* walkSealed(
  index: Pick<LeadIndex, 'page'>,
  walk: { funnelId: string; limit?: number | undefined },
): AsyncGenerator<LeadPosition> {
  for await (const page of shardPages(index, { ...walk, order: 'oldest first' }, SEALED)) yield* page;
}

type Pages = () => Promise<LeadPosition[] | undefined>;
type Head = { position: LeadPosition; page: LeadPosition[]; at: number; next: Pages };

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
function oneAhead(pages: AsyncGenerator<LeadPosition[]>): Pages {
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

async function* shardPages(index: Pick<LeadIndex, 'page'>, walk: Walk, shard: Shard): AsyncGenerator<LeadPosition[]> {
  const { funnelId, order, limit } = walk;
  const range = resumed(walk, shard);
  let { after } = range;
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) return;
  for (;;) {
    const { positions, isLast } = await index.page({ funnelId, shard, order, limit, ...range, after });
    yield positions;
    after = positions.at(-1);
    if (isLast || after === undefined) return;
  }
}

/** What is left of a shard after a position: of the same millisecond, earlier shards are done and later ones are not. */
function resumed({ from, to, after, order }: Walk, shard: Shard): LeadRange & { after?: LeadPosition } {
  if (after === undefined || shard === SEALED) return { from, to };
  const shardAfter = shardOf(after.leadId);
  const isDone = shard < shardAfter;
  const bound = isDone ? shiftedBy(after.submittedAt, order === 'oldest first' ? 1 : -1) : after.submittedAt;
  const range = order === 'oldest first' ? { from: bound, to } : { from, to: bound };
  return shard === shardAfter ? { ...range, after } : range;
}

/** A time some milliseconds later, or earlier. */
export const shiftedBy = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
