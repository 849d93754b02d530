import type { Clock } from '../../platform/clock.ts';
import { type Lease, LeaseTimeoutError, type WithLease } from '../../platform/lease.ts';
import type { StoredObject } from '../../platform/object-store.ts';
import type { TombstoneRepository } from '../facts/ports.ts';
import type { RawEventStore, SessionKeysByFunnel } from '../raw-events/ports.ts';
import type { ErasureCheckpoint } from './ports.ts';

export type EraseLateEventsPorts = {
  tombstones: Pick<TombstoneRepository, 'listAllSessions' | 'listAllLeads' | 'addSessions'>;
  raw: RawEventStore;
  withLease: WithLease;
  checkpoint: ErasureCheckpoint;
  clock: Clock;
};

/**
 * Each run processes at least the files that were written in this time before the run. The time is two intervals of the
 * schedule plus an hour, so that at least two runs process each file. The times of erasures are not used, because the
 * clock of the operator's machine may be ahead.
 */
const WRITTEN_MS_MAX = 49 * 3_600_000;
/**
 * If runs were deferred or failed, the next run also processes older files. It begins with the files that were written
 * this long before the start of the last complete run. The time is one interval of the schedule plus an hour.
 */
const MISSED_MS_MAX = 25 * 3_600_000;
/**
 * If the last complete run began longer ago than this, the previous run did not complete. A deferral is then an error.
 */
const DEFERRED_MS_MAX = 36 * 3_600_000;
/** One file takes less time than this. Work on a file begins only if at least this time is left. */
const FILE_MS_MAX = 60_000;

type LateErasure = { files: number; events: number };
/** `deferred`: another process held the lease for too long. The next run does the work. */
type LateErasureResult = ({ outcome: 'done' } & LateErasure) | { outcome: 'deferred' };

type Keys = Map<string, Set<bigint>>;

/**
 * Deletes late events of erased sessions from the raw event files that were written recently (`WRITTEN_MS_MAX`). Facts
 * of these events are never counted, because their sessions have tombstones (`TombstoneRepository`). ADR 0019.
 *
 * If an event in one of these files mentions an erased lead, the session of the event is erased from all files. Older
 * files are rewritten before the recent files. If the run crashes in between, the recent file still has the event, so
 * the next run finds the session again.
 *
 * @throws Error when the run is out of time or runs were deferred for too long; LeaseLostError; errors of the ports
 */
export async function eraseLateEvents(
  ports: EraseLateEventsPorts,
  timeLeftMs: () => number,
): Promise<LateErasureResult> {
  const { tombstones, checkpoint, withLease, clock } = ports;
  const beganMs = clock.now();
  const lastMs = await checkpoint.load();
  const since = Math.min(beganMs - WRITTEN_MS_MAX, (lastMs ?? beganMs) - MISSED_MS_MAX);
  const [erased, leads] = await Promise.all([tombstones.listAllSessions(), tombstones.listAllLeads()]);
  let done: LateErasure = { files: 0, events: 0 };
  try {
    if (erased.length + leads.length > 0) {
      done = await withLease((lease) => eraseSince(ports, { erased, leads, since, timeLeftMs }, lease));
    }
  } catch (error) {
    if (!(error instanceof LeaseTimeoutError)) throw error;
    if (lastMs === undefined || beganMs - lastMs > DEFERRED_MS_MAX)
      throw new Error(
        'Late events of erased sessions were not erased, because another process held the lease of the raw events. ' +
          'No run of the last 36 hours could erase them. The next run tries again.',
        { cause: error },
      );
    return { outcome: 'deferred' };
  }
  await checkpoint.save(beganMs);
  return { outcome: 'done', ...done };
}

type Late = {
  erased: Awaited<ReturnType<TombstoneRepository['listAllSessions']>>;
  leads: Leads;
  /** Files that were written at or after this time are new. Milliseconds since the epoch. */
  since: number;
  timeLeftMs: () => number;
};

async function eraseSince(ports: EraseLateEventsPorts, late: Late, lease: Lease): Promise<LateErasure> {
  const { tombstones, raw } = ports;
  const { erased, leads, since, timeLeftMs } = late;
  const done: LateErasure = { files: 0, events: 0 };
  const files = async function* (isIn: (file: StoredObject) => boolean) {
    for await (const file of raw.listFiles()) {
      if (!isIn(file)) continue;
      if (timeLeftMs() < FILE_MS_MAX)
        throw new Error(
          'The run was out of time before it had processed all raw event files. The next run starts again.',
        );
      yield file.key;
    }
  };
  const isNew = ({ atMs }: StoredObject) => atMs >= since;
  const all: Keys = new Map();
  for (const { funnelId, sessionKey } of erased) keysIn(all, funnelId).add(sessionKey);
  const found = leads.length === 0 ? new Map() : await findMentioningSessions(ports, leads, files(isNew));
  await addAll(tombstones, all, found);
  const removeFrom = removerOf(raw, lease, done);
  const isOld = (file: StoredObject) => !isNew(file);
  if (found.size > 0) await removeFrom(files(isOld), found);
  await removeFrom(files(isNew), all);
  return done;
}

const keysIn = (keys: Keys, funnelId: string): Set<bigint> => {
  const known = keys.get(funnelId) ?? new Set();
  keys.set(funnelId, known);
  return known;
};

type Leads = Awaited<ReturnType<TombstoneRepository['listAllLeads']>>;

async function findMentioningSessions(
  { raw }: EraseLateEventsPorts,
  leads: Leads,
  files: AsyncIterable<string>,
): Promise<Keys> {
  const found: Keys = new Map();
  const leadsByFunnel = Map.groupBy(leads, ({ funnelId }) => funnelId);
  for await (const key of files) {
    await raw.open(key, async (file) => {
      for (const [funnelId, funnelLeads] of leadsByFunnel) {
        const sessionKeys = await file.findSessionsMentioning(
          funnelId,
          funnelLeads.map(({ leadId }) => leadId),
        );
        for (const sessionKey of sessionKeys) keysIn(found, funnelId).add(sessionKey);
      }
    });
  }
  return found;
}

/** Adds the found sessions to `all`. Does not write an existing tombstone again, because this would restart its TTL. */
async function addAll(tombstones: Pick<TombstoneRepository, 'addSessions'>, all: Keys, found: Keys): Promise<void> {
  for (const [funnelId, keys] of found) {
    const known = keysIn(all, funnelId);
    await tombstones.addSessions(
      funnelId,
      [...keys].filter((key) => !known.has(key)),
    );
    for (const key of keys) known.add(key);
  }
}

const removerOf =
  (raw: RawEventStore, lease: Lease, done: LateErasure) =>
  async (files: AsyncIterable<string>, keys: Keys): Promise<void> => {
    const sessions: SessionKeysByFunnel = new Map(
      Array.from(keys, ([funnelId, sessionKeys]) => [funnelId, [...sessionKeys]]),
    );
    for await (const key of files) {
      const events = (await raw.open(key, (file) => file.countRows(sessions))) ?? 0;
      if (events === 0) continue;
      await raw.removeSessions(key, sessions, lease);
      done.files++;
      done.events += events;
    }
  };
