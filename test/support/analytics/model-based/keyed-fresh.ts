import { createHash } from 'node:crypto';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import type { FreshFactRepository, FreshItem } from '../../../../shared/analytics/facts/ports.ts';
import type { EffectInterceptor } from './intercept-effects.ts';

const immediately: EffectInterceptor = (effect) => effect();

/**
 * Creates in-memory fresh facts. As in the table, an item's key contains the sequence numbers of the batch and a digest
 * of the facts. If a batch is delivered again with the same facts, its item replaces the first one. Each page of a read
 * has one item.
 *
 * @param schedule is called for each page
 */
export function keyedFresh(schedule: EffectInterceptor = immediately): FreshFactRepository {
  const funnels = new Map<string, Map<string, readonly Fact[]>>();
  const itemsOf = (funnelId: string) => {
    const items = funnels.get(funnelId) ?? new Map<string, readonly Fact[]>();
    funnels.set(funnelId, items);
    return items;
  };
  const nextAfter = async (funnelId: string, ref: string): Promise<FreshItem | undefined> => {
    const next = [...itemsOf(funnelId).keys()].sort().find((key) => key > ref);
    return next === undefined ? undefined : { ref: next, facts: [...(itemsOf(funnelId).get(next) ?? [])] };
  };
  const upTo = async (funnelId: string, factsMax: number) => {
    const items: FreshItem[] = [];
    for (let facts = 0; ; ) {
      const next = await schedule(() => nextAfter(funnelId, items.at(-1)?.ref ?? ''), 'read');
      if (next === undefined) return { items, isLast: true };
      facts += next.facts.length;
      if (facts > factsMax && items.length > 0) return { items, isLast: false };
      items.push(next);
    }
  };
  return {
    add: async (funnelId, { first, last }, facts) => {
      const text = JSON.stringify(facts, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
      const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
      itemsOf(funnelId).set(`fresh#${first}#${last}#${digest}`, facts);
    },
    read: async (funnelId) => (await upTo(funnelId, Number.POSITIVE_INFINITY)).items,
    readBatch: upTo,
    remove: async (funnelId, refs) => {
      for (const ref of refs) itemsOf(funnelId).delete(ref);
    },
    listPendingFunnels: async () =>
      [...funnels].flatMap(([funnelId, items]) =>
        items.size === 0 ? [] : [{ funnelId, oldestMs: 0, factCount: [...items.values()].flat().length }],
      ),
  };
}
