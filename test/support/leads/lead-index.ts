import { ERASING_SHARD, shardOfLead } from '../../../shared/leads/index-shards.ts';
import type { LeadIndexQuery, LeadIndexReader } from '../../../shared/leads/ports.ts';
import { aLead } from './a-lead.ts';

type Options = {
  beforePage?: () => void;
  /** Number of page reads until a submit appears in the index. `settle` lets all submits appear. */
  lagPages?: number;
};

/** Creates an in-memory index of leads with small pages and the eventual consistency that `LeadIndexReader` allows. */
export function createInMemoryLeadIndex(
  funnelId: string,
  { beforePage = () => undefined, lagPages = 0 }: Options = {},
) {
  const leads = new Map<string, string>();
  const indexed = new Map<string, string>();
  const sealed = new Set<string>();
  const late: { leadId: string; dueAtPage: number }[] = [];
  let pages = 0;
  const arrive = (isDue: (dueAtPage: number) => boolean) => {
    for (const { leadId, dueAtPage } of late) {
      const at = leads.get(leadId);
      if (isDue(dueAtPage) && at !== undefined) indexed.set(leadId, at);
    }
  };
  const page = async ({ shard, order, from = '0', to = '~', after, limit = 2 }: LeadIndexQuery) => {
    pages++;
    arrive((dueAtPage) => dueAtPage <= pages);
    beforePage();
    const direction = order === 'oldest first' ? 1 : -1;
    const rank = (at: string, leadId: string) => `${at}/${leadId}`;
    const inOrder = [...indexed]
      .filter(
        ([leadId, at]) =>
          (sealed.has(leadId) ? ERASING_SHARD : shardOfLead(leadId)) === shard && at >= from && at <= to,
      )
      .map(([leadId, submittedAt]) => ({ leadId, submittedAt, rank: rank(submittedAt, leadId) }))
      .sort((one, other) => (one.rank < other.rank ? -direction : direction));
    const start = after && rank(after.submittedAt, after.leadId);
    const rest = inOrder.filter(({ rank: at }) => start === undefined || (direction > 0 ? at > start : at < start));
    const entries = rest.slice(0, limit).map(({ leadId, submittedAt }) => ({ leadId, submittedAt }));
    return { entries, isLast: rest.length <= limit };
  };
  const index: LeadIndexReader = {
    listEntries: page,
    getLeads: async (keys) =>
      keys.flatMap((key) => {
        const at = leads.get(key.leadId);
        return at === undefined ? [] : [aLead({ ...key, funnelId }, at)];
      }),
  };
  return {
    index,
    submit: (leadId: string, atMs: number) => {
      leads.set(leadId, new Date(atMs).toISOString());
      if (lagPages === 0) return void indexed.set(leadId, new Date(atMs).toISOString());
      indexed.delete(leadId);
      late.push({ leadId, dueAtPage: pages + lagPages });
    },
    /** Starts the erasure of a lead. */
    seal: (leadId: string) => void sealed.add(leadId),
    erase: (leadId: string) => {
      leads.delete(leadId);
      indexed.delete(leadId);
    },
    /** Makes the index consistent. */
    settle: () => arrive(() => true),
  };
}
