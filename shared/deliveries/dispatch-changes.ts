import { memoize } from '../platform/memoize.ts';
import { createSerialRunner, type SerialRunner } from '../platform/serial-runner.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { LaneKey } from './lane.ts';
import type { DispatchRun, EventSource, PendingChange } from './ports.ts';
import type { Subject } from './subject.ts';

/**
 * Bounds the concurrent requests: 8 shards of leads, with 5 subjects per shard and up to 10 endpoints per subject, need
 * up to 400 requests.
 */
const SUBJECTS_PER_PAGE = 5;

/**
 * Changes that cannot be dispatched stay the first changes in their shard. A run skips up to this number of such
 * changes, so that they do not delay later changes.
 */
const FAILED_LISTED_MAX = 1_000;

type Change = { subject: Subject; pending: PendingChange };

/**
 * Dispatches due changes: raises the lanes of webhook endpoints, and removes the subjects from the outbox. Postpones
 * leads that visitors are still updating. If the dispatch of a change fails, the next run retries it.
 *
 * @returns when the oldest change was due (ISO 8601 UTC); undefined: no change was due
 */
export async function dispatchChanges(dispatchRun: DispatchRun, endMs: number): Promise<string | undefined> {
  // The shards are dispatched concurrently, but queried one after another. Otherwise, with `npm start`, ten queries every
  // three seconds would delay requests of clients, because the stand-in of DynamoDB has one thread.
  const runQuery = createSerialRunner();
  const shards = Object.values(dispatchRun.sources).flatMap((source: EventSource) =>
    Array.from({ length: source.shardCount }, (_, shard) => dispatchShard(dispatchRun, runQuery, source, shard, endMs)),
  );
  // If a shard fails, this function waits until the other shards are done. Then it throws.
  await Promise.allSettled(shards);
  return (await Promise.all(shards)).filter((dueAt) => dueAt !== undefined).sort()[0];
}

async function dispatchShard(
  dispatchRun: DispatchRun,
  runQuery: SerialRunner,
  source: EventSource,
  shard: number,
  endMs: number,
): Promise<string | undefined> {
  const { clock, failedSubjects } = dispatchRun;
  let oldest: string | undefined;
  for (let isDone = false; !isDone; ) {
    const limit = SUBJECTS_PER_PAGE + Math.min(failedSubjects.size, FAILED_LISTED_MAX);
    const page = await runQuery(async () =>
      clock.now() < endMs ? source.listDue(shard, clock.now(), limit) : undefined,
    );
    if (page === undefined) break;
    const { due, isLast } = page;
    oldest ??= due[0]?.dueAt;
    const subjects = due.map(({ subject }) => subject).filter((subject) => !failedSubjects.has(nameOf(subject)));
    const isProgress = await dispatchPage(dispatchRun, source, subjects.slice(0, SUBJECTS_PER_PAGE));
    isDone = !isProgress || (isLast && subjects.length <= SUBJECTS_PER_PAGE);
  }
  return oldest;
}

const nameOf = (subject: Subject): string => JSON.stringify(subject);

/**
 * Returns true if at least one subject was postponed, left the outbox or failed for the first time in this run.
 * Otherwise, the caller must not read another page, because it could contain the same subjects again: the index still
 * lists subjects for a moment after they left the outbox.
 */
async function dispatchPage(
  dispatchRun: DispatchRun,
  source: EventSource,
  subjects: readonly Subject[],
): Promise<boolean> {
  const failedBefore = dispatchRun.failedSubjects.size;
  const changes = await each(dispatchRun, subjects, async (subject): Promise<Change | undefined> => {
    const pending = await source.read(subject);
    return pending && { subject, pending };
  });
  // The endpoints are read after the subjects, so they include every endpoint that existed at the time of a change.
  // Each page reads them once per organization, even if the read fails.
  const listEndpoints = memoize(SUBJECTS_PER_PAGE, (orgId) => dispatchRun.endpoints.list(orgId));
  const changesWithLanes = await each(dispatchRun, changes, async (change) => {
    return { ...change, lanes: await raiseLanes(dispatchRun, change, listEndpoints) };
  });
  const woken = await wakeAll(
    dispatchRun,
    new Set(changesWithLanes.flatMap(({ lanes }) => lanes.map(({ endpointId }) => endpointId))),
  );
  // Subjects leave the outbox last, so that after a crash the next run repeats what was not done.
  const processed = await each(dispatchRun, changesWithLanes, async ({ subject, pending, lanes }) => {
    if (!lanes.every(({ endpointId }) => woken.has(endpointId))) {
      dispatchRun.failedSubjects.add(nameOf(subject));
      return undefined;
    }
    lanes.forEach(dispatchRun.raised.add);
    const isProcessed = await (pending.action === 'postpone' ? pending.postpone() : pending.leaveOutbox());
    return isProcessed ? subject : undefined;
  });
  return processed.length > 0 || dispatchRun.failedSubjects.size > failedBefore;
}

/** Returns the endpoints that were woken. Failures are logged and counted. */
async function wakeAll(
  { endpointStates, clock, log, count }: DispatchRun,
  endpointIds: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const wakeups = [...endpointIds].map((endpointId) =>
    endpointStates.wake(endpointId, clock.now()).then(
      () => endpointId,
      (cause: unknown) => {
        log.error('A webhook endpoint could not be woken. A later run retries.', cause, { endpointId });
        count('error');
        return undefined;
      },
    ),
  );
  return new Set((await Promise.all(wakeups)).filter((endpointId) => endpointId !== undefined));
}

/**
 * Raises the lanes of all enabled endpoints that want at least one of the change's `wantedTypes`.
 *
 * @returns these lanes; none if the change is postponed or dropped
 */
async function raiseLanes(
  { lanes, clock }: DispatchRun,
  { subject, pending }: Change,
  listEndpoints: (orgId: string) => Promise<WebhookEndpoint[]>,
): Promise<LaneKey[]> {
  if (pending.action !== 'dispatch') return [];
  const { orgId, seq } = pending;
  const wants = ({ isEnabled, eventTypes }: WebhookEndpoint) =>
    isEnabled && pending.wantedTypes.some((type) => eventTypes.includes(type));
  const keys = (await listEndpoints(orgId)).filter(wants).map(({ id }) => ({ subject, endpointId: id }));
  const change = { orgId, seq, atMs: clock.now() };
  await Promise.all(keys.map((key) => lanes.raise(key, change)));
  return keys;
}

/** Runs `work` for each item. Logs, counts and records failures. @returns the results that are not undefined */
async function each<T extends Subject | Change, R extends object>(
  { log, count, failedSubjects }: DispatchRun,
  items: readonly T[],
  work: (item: T) => Promise<R | undefined>,
): Promise<R[]> {
  const results = items.map((item) =>
    work(item).catch((cause: unknown) => {
      const subject: Subject = 'subject' in item ? item.subject : item;
      log.error('A change could not be dispatched. A later run retries.', cause, { ...subject });
      count('error');
      failedSubjects.add(nameOf(subject));
      return undefined;
    }),
  );
  return (await Promise.all(results)).filter((result) => result !== undefined);
}
