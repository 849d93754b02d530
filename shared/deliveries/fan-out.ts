import type { LeadKey } from '../leads/lead.ts';
import { memoize } from '../platform/memoize.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { LaneKey } from './lane.ts';
import type { Dispatch, EventSource, PendingChange } from './ports.ts';
import type { LeadSubject, Subject } from './subject.ts';

/** Bounds the requests that run concurrently: leads have 8 shards, and each subject can have ten endpoints. */
const SUBJECTS_PER_PAGE = 5;

type Change = { subject: Subject; pending: PendingChange };

/**
 * Passes changed subjects to the lanes of the webhook endpoints of their organizations. Postpones leads that visitors are
 * still updating.
 *
 * @returns when the oldest change was due (ISO 8601 UTC); undefined: no change was due
 */
export async function fanOut(dispatch: Dispatch, endMs: number): Promise<string | undefined> {
  const shards = Object.values(dispatch.sources).flatMap((source: EventSource) =>
    Array.from({ length: source.shardCount }, (_, shard) => fanOutShard(dispatch, source, shard, endMs)),
  );
  // If a shard fails, the work on the other shards still ends before this function throws.
  await Promise.allSettled(shards);
  return (await Promise.all(shards)).filter((dueAt) => dueAt !== undefined).sort()[0];
}

/** Passes on changes of these leads, as `fanOut` does. Does nothing for leads that are not in the outbox any more. */
export async function fanOutLeads(dispatch: Dispatch, leads: readonly LeadKey[], endMs: number): Promise<void> {
  const subjects = leads.map((key): LeadSubject => ({ kind: 'lead', ...key }));
  for (let start = 0; start < subjects.length && dispatch.clock.now() < endMs; start += SUBJECTS_PER_PAGE)
    await fanOutPage(dispatch, dispatch.sources.lead, subjects.slice(start, start + SUBJECTS_PER_PAGE));
}

async function fanOutShard(
  dispatch: Dispatch,
  source: EventSource,
  shard: number,
  endMs: number,
): Promise<string | undefined> {
  const { clock } = dispatch;
  let oldest: string | undefined;
  for (let isDone = false; !isDone && clock.now() < endMs; ) {
    const { due, isLast } = await source.listDue(shard, clock.now(), SUBJECTS_PER_PAGE);
    oldest ??= due[0]?.dueAt;
    const subjects = due.map(({ subject }) => subject);
    isDone = !(await fanOutPage(dispatch, source, subjects)) || isLast;
  }
  return oldest;
}

/** Returns false if every subject is still due. The next page would then be the same. */
async function fanOutPage(dispatch: Dispatch, source: EventSource, subjects: readonly Subject[]): Promise<boolean> {
  const changes = await each(dispatch, subjects, async (subject): Promise<Change | undefined> => {
    const pending = await source.read(subject);
    return pending && { subject, pending };
  });
  // Read after the subjects, so that no endpoint that existed when a subject changed is missing.
  const listEndpoints = memoize(SUBJECTS_PER_PAGE, (orgId) => dispatch.endpoints.list(orgId));
  const lanes: LaneKey[] = [];
  const raised = await each(dispatch, changes, async (change) => {
    lanes.push(...(await raiseLanes(dispatch, change, listEndpoints)));
    return change;
  });
  // Subjects leave the outbox last, so that after a crash the next run repeats what was not done.
  const endpointIds = new Set(lanes.map(({ endpointId }) => endpointId));
  if (!(await wakeAll(dispatch, [...endpointIds]))) return false;
  lanes.forEach(dispatch.raised.add);
  const processed = await each(dispatch, raised, async ({ subject, pending }) =>
    (await pending.close()) ? subject : undefined,
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

/**
 * Raises the lanes of all enabled endpoints that want any message about subjects of this kind, even if they do not want the
 * type of this change, so that their lanes record the acknowledged state.
 *
 * @returns these lanes
 */
async function raiseLanes(
  { lanes, clock }: Dispatch,
  { subject, pending: { orgId, seq } }: Change,
  listEndpoints: (orgId: string) => Promise<WebhookEndpoint[]>,
): Promise<LaneKey[]> {
  if (orgId === undefined) return [];
  const ids = (await listEndpoints(orgId)).filter((endpoint) => wants(endpoint, subject)).map(({ id }) => id);
  const change = { orgId, seq, atMs: clock.now() };
  const keys = ids.map((endpointId) => ({ subject, endpointId }));
  await Promise.all(keys.map((key) => lanes.raise(key, change)));
  return keys;
}

const wants = ({ isEnabled, eventTypes }: WebhookEndpoint, { kind }: Subject): boolean =>
  isEnabled && eventTypes.some((type) => type.startsWith(`${kind}.`));

/** Logs and counts failures. @returns the defined results */
async function each<T extends Subject | Change, R extends object>(
  { log, count }: Dispatch,
  items: readonly T[],
  work: (item: T) => Promise<R | undefined>,
): Promise<R[]> {
  const results = items.map((item) =>
    work(item).catch((cause: unknown) => {
      const subject = 'subject' in item ? item.subject : item;
      log.error('A change could not be passed on. A later run retries.', cause, { ...subject });
      count('error');
      return undefined;
    }),
  );
  return (await Promise.all(results)).filter((result) => result !== undefined);
}
