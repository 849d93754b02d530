import { INDEX_SHARD_COUNT } from '../leads/index-shards.ts';
import type { LeadKey } from '../leads/lead.ts';
import type { ChangedLead } from '../leads/ports.ts';
import { memoize } from '../platform/memoize.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { Dispatch } from './ports.ts';

/** Bounds the requests that run concurrently: there are 8 shards, and each lead can have ten endpoints. */
const LEADS_PER_PAGE = 5;

type Change = { key: LeadKey; changed: ChangedLead };

/**
 * Passes changed leads to the lanes of the webhook endpoints of their organizations. Postpones leads that visitors are
 * still updating.
 *
 * @returns when the oldest change was due (ISO 8601 UTC); undefined: no change was due
 */
export async function fanOut(dispatch: Dispatch, endMs: number): Promise<string | undefined> {
  const shards = Array.from({ length: INDEX_SHARD_COUNT }, (_, shard) => fanOutShard(dispatch, shard, endMs));
  // After a failure, the work on the other shards ends before the run does.
  await Promise.allSettled(shards);
  return (await Promise.all(shards)).filter((dueAt) => dueAt !== undefined).sort()[0];
}

async function fanOutShard(dispatch: Dispatch, shard: number, endMs: number): Promise<string | undefined> {
  const { outbox, clock } = dispatch;
  let oldest: string | undefined;
  for (let isDone = false; !isDone && clock.now() < endMs; ) {
    const { leads, isLast } = await outbox.listDue(shard, clock.now(), LEADS_PER_PAGE);
    oldest ??= leads[0]?.dueAt;
    isDone = !(await fanOutPage(dispatch, leads)) || isLast;
  }
  return oldest;
}

/** Returns false if every lead is still due. The next page would then be the same. */
async function fanOutPage(dispatch: Dispatch, keys: readonly LeadKey[]): Promise<boolean> {
  const { outbox } = dispatch;
  const changes = await each(dispatch, keys, async (key): Promise<Change | undefined> => {
    const changed = await outbox.read(key);
    return changed && { key, changed };
  });
  // Read after the leads, so that no endpoint that existed when a lead changed is missing.
  const listEndpoints = memoize(LEADS_PER_PAGE, (orgId) => dispatch.endpoints.list(orgId));
  const endpointIds = new Set<string>();
  const raised = await each(dispatch, changes, async (change) => {
    for (const id of await raiseLanes(dispatch, change, listEndpoints)) endpointIds.add(id);
    return change;
  });
  // Outboxes are closed last, so that after a crash the next run repeats what was not done.
  if (!(await wakeAll(dispatch, [...endpointIds]))) return false;
  const processed = await each(dispatch, raised, async ({ key, changed }) =>
    (await (isUnsettled(dispatch, changed)
      ? outbox.postpone(key, changed.seq, changed.settlesAtMs)
      : outbox.clear(key, changed)))
      ? key
      : undefined,
  );
  return processed.length > 0;
}

/** Returns false if an endpoint could not be woken, which is logged and counted. */
async function wakeAll({ busy, clock, log, count }: Dispatch, endpointIds: readonly string[]): Promise<boolean> {
  const wakeups = endpointIds.map((endpointId) =>
    busy.wake(endpointId, clock.now()).then(
      () => true,
      (cause: unknown) => {
        log.error('A webhook endpoint could not be woken. A later run retries.', cause, { endpointId });
        count('error');
        return false;
      },
    ),
  );
  return !(await Promise.all(wakeups)).includes(false);
}

const isUnsettled = ({ clock }: Dispatch, changed: ChangedLead): changed is Extract<ChangedLead, { state: 'stored' }> =>
  changed.state === 'stored' && changed.settlesAtMs > clock.now();

/**
 * Raises the lanes of all enabled endpoints that want any message about leads, even if they do not want the type of
 * this change, so that their lanes record the acknowledged state.
 *
 * @returns the ids of these endpoints
 */
async function raiseLanes(
  dispatch: Dispatch,
  { key, changed }: Change,
  listEndpoints: (orgId: string) => Promise<WebhookEndpoint[]>,
): Promise<string[]> {
  if (changed.state === 'erasing' || isUnsettled(dispatch, changed)) return [];
  const orgId = (await dispatch.funnels.find(key.funnelId))?.orgId;
  if (orgId === undefined) return [];
  const ids = (await listEndpoints(orgId)).filter(wantsLeads).map(({ id }) => id);
  const change = { orgId, seq: changed.seq, atMs: dispatch.clock.now() };
  await Promise.all(ids.map((endpointId) => dispatch.lanes.raise({ ...key, endpointId }, change)));
  return ids;
}

const wantsLeads = ({ isEnabled, eventTypes }: WebhookEndpoint): boolean =>
  isEnabled && eventTypes.some((type) => type.startsWith('lead.'));

/** Logs and counts failures. @returns the defined results */
async function each<T extends LeadKey | Change, R extends object>(
  { log, count }: Dispatch,
  items: readonly T[],
  work: (item: T) => Promise<R | undefined>,
): Promise<R[]> {
  const results = items.map((item) =>
    work(item).catch((cause: unknown) => {
      const { funnelId, leadId } = 'key' in item ? item.key : item;
      log.error('The change of a lead could not be passed on. A later run retries.', cause, { funnelId, leadId });
      count('error');
      return undefined;
    }),
  );
  return (await Promise.all(results)).filter((result) => result !== undefined);
}
