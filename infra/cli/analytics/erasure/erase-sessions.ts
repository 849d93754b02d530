import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import type { TombstoneRepository } from '../../../../shared/analytics/facts/ports.ts';
import type {
  ContactSearch,
  RawEventStore,
  SessionKeysByFunnel,
} from '../../../../shared/analytics/raw-events/ports.ts';
import type { Lease, WithLease } from '../../../../shared/platform/lease.ts';
import { withLeaseGuard } from '../../../../shared/platform/object-store.ts';
import {
  type DeadLetterPorts,
  eraseDeadLetters,
  eraseDeliveryErrors,
  findSessionsInDeadLetters,
} from './erase-dead-letters.ts';
import {
  countFactsInManifestFiles,
  type EraseFactsPorts,
  eraseFreshFacts,
  eraseManifestFiles,
  eraseUnlistedFiles,
} from './erase-facts.ts';
import type { ErasureSubject, PersonIdentifiers } from './subject-lines.ts';

export type EraseSessionsPorts = DeadLetterPorts & {
  facts: EraseFactsPorts;
  raw: RawEventStore;
  tombstones: Pick<TombstoneRepository, 'addSessions' | 'addLeads' | 'listSessionKeys'>;
  withLease: WithLease;
};

/**
 * Selects the sessions to erase, by their ids and by their events. A session is also selected if one of its events
 * names one of the leads or contains the contact.
 */
export type ErasureRequest = {
  sessionIds: readonly string[];
  leadIds?: readonly string[];
  contact?: ContactSearch | undefined;
};

/** Counts of the data that the erasure removed from each store, or would remove in a dry run. */
export type ErasureCounts = {
  /**
   * Number of sessions of this request, plus the funnel's sessions that already had a tombstone. A dry run counts the
   * latter only if the request is empty.
   */
  sessions: number;
  requestedSessions: number;
  freshFacts: number;
  factFiles: number;
  facts: number;
  /** Fact files that the manifest did not name; 0 in a dry run. */
  unlistedFiles: number;
  /** Noncurrent versions of the funnel's fact files; 0 in a dry run. */
  oldVersions: number;
  rawFiles: number;
  events: number;
  deadLetterEvents: number;
  /** Events in records that Firehose could not store as raw events. */
  deliveryErrorEvents: number;
};

/**
 * Erases sessions of a funnel from every store. Their tombstones are stored first. From then on, late events of the
 * sessions are not counted, and if this erasure crashes, the next erasure in the funnel completes it. Raw events are
 * deleted last, so that a repeated request can still find the sessions of a lead.
 *
 * Holds a lease, so that erasures run one at a time. Otherwise, one erasure could restore data that another erasure
 * removed. A dry run needs no lease, because it changes nothing.
 *
 * @throws LeaseTimeoutError if the lease did not become free in time; nothing was changed
 * @throws LeaseLostError or an error of a store; repeat the request to continue
 */
export async function eraseSessions(
  ports: EraseSessionsPorts,
  funnelId: string,
  request: ErasureRequest,
  { dryRun = false } = {},
): Promise<ErasureCounts> {
  if (dryRun) return eraseAll(ports, funnelId, request);
  return ports.withLease((lease) => eraseAll(ports, funnelId, request, lease));
}

/** @param lease undefined for a dry run */
async function eraseAll(
  unguarded: EraseSessionsPorts,
  funnelId: string,
  request: ErasureRequest,
  lease?: Lease,
): Promise<ErasureCounts> {
  const dryRun = lease === undefined;
  const ports = lease === undefined ? unguarded : guarded(unguarded, lease);
  // Stores the lead ids before the search. Events that name one of the leads may arrive after the search.
  // background/erase-late then finds the sessions of these events.
  if (!dryRun) await ports.tombstones.addLeads(funnelId, request.leadIds ?? []);
  const { found, ...subject } = await subjectOf(ports, funnelId, request, { dryRun });
  const { sessionKeys } = subject;
  // Sessions of earlier requests are not added again, because that would restart the TTL of their tombstones.
  if (!dryRun) await ports.tombstones.addSessions(funnelId, found);
  const { lines: deadLetterEvents } = await eraseDeadLetters(ports, subject, dryRun);
  const { lines: deliveryErrorEvents } = await eraseDeliveryErrors(ports, subject, dryRun);
  const freshFacts = await eraseFreshFacts(ports.facts, funnelId, sessionKeys, dryRun);
  const nothing = dryRun || sessionKeys.size === 0;
  const listed = nothing
    ? await countFactsInManifestFiles(ports.facts, funnelId, sessionKeys)
    : await eraseManifestFiles(ports.facts, funnelId, sessionKeys);
  const unlisted = nothing
    ? { orphans: 0, oldVersions: 0 }
    : await eraseUnlistedFiles(ports.facts, funnelId, sessionKeys);
  const raw = await eraseRaw(ports.raw, new Map([[funnelId, [...sessionKeys]]]), lease);
  return {
    sessions: sessionKeys.size,
    requestedSessions: found.length,
    freshFacts,
    factFiles: listed.files,
    facts: listed.facts,
    unlistedFiles: unlisted.orphans,
    oldVersions: unlisted.oldVersions,
    rawFiles: raw.files,
    events: raw.events,
    deadLetterEvents,
    deliveryErrorEvents,
  };
}

const guarded = (ports: EraseSessionsPorts, lease: Lease): EraseSessionsPorts => ({
  ...ports,
  deadLetters: withLeaseGuard(ports.deadLetters, lease),
  lake: withLeaseGuard(ports.lake, lease),
});

type Found = ErasureSubject & {
  /** The sessions that this request selects. */
  found: readonly bigint[];
};

async function subjectOf(
  ports: EraseSessionsPorts,
  funnelId: string,
  { sessionIds, leadIds = [], contact }: ErasureRequest,
  { dryRun }: { dryRun: boolean },
): Promise<Found> {
  const requested = new Set(sessionIds.map((id) => sessionKey(funnelId, id)));
  for (const key of await findSessionsOfPerson(ports, funnelId, { leadIds, contact })) requested.add(key);
  const isForNew = sessionIds.length + leadIds.length > 0 || contact !== undefined;
  const earlier = dryRun && isForNew ? [] : await ports.tombstones.listSessionKeys(funnelId);
  const sessionKeys = new Set([...earlier, ...requested]);
  return { funnelId, sessionKeys, sessionIds, leadIds, found: [...requested] };
}

/**
 * Finds the funnel's events that name one of these leads or contain the contact.
 *
 * @returns the keys of the sessions of these events
 */
export async function findSessionsOfPerson(
  ports: DeadLetterPorts & { raw: RawEventStore },
  funnelId: string,
  person: PersonIdentifiers,
): Promise<Set<bigint>> {
  const { leadIds, contact } = person;
  if (leadIds.length === 0 && contact === undefined) return new Set();
  const found = new Set(await findSessionsInDeadLetters(ports, funnelId, person));
  for await (const { key: file } of ports.raw.listFiles()) {
    const keys = await ports.raw.open(file, async (rows) => [
      ...(leadIds.length === 0 ? [] : await rows.findSessionsMentioning(funnelId, leadIds)),
      ...(contact === undefined ? [] : await rows.findSessionsWithContact(funnelId, contact)),
    ]);
    for (const key of keys ?? []) found.add(key);
  }
  return found;
}

async function eraseRaw(raw: RawEventStore, sessions: SessionKeysByFunnel, lease: Lease | undefined) {
  const counted = { files: 0, events: 0 };
  if ([...sessions.values()].every((keys) => keys.length === 0)) return counted;
  for await (const { key } of raw.listFiles()) {
    const events = (await raw.open(key, (file) => file.countRows(sessions))) ?? 0;
    if (events === 0) continue;
    counted.files++;
    counted.events += events;
    if (lease !== undefined) await raw.removeSessions(key, sessions, lease);
  }
  return counted;
}
