import type { TombstoneRepository } from '../../../../shared/analytics/facts/tombstones.ts';
import { sessionKey } from '../../../../shared/analytics/ingest/session-key.ts';
import type {
  ContactSearch,
  RawEventStore,
  SessionKeysByFunnel,
} from '../../../../shared/analytics/raw-events/raw-event-store.ts';
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

/** Whose data goes: sessions by their ids, and all those with an event that names one of these leads or holds the contact. */
export type ErasureRequest = {
  sessionIds: readonly string[];
  leadIds?: readonly string[];
  contact?: ContactSearch | undefined;
};

/** What was removed, or would be, from each store. */
export type ErasureCounts = {
  /** Those of this request, and those of earlier ones, which it completes. A dry run counts this request's alone. */
  sessions: number;
  /** Those that were asked for alone. */
  requestedSessions: number;
  freshFacts: number;
  factFiles: number;
  facts: number;
  /** Fact files that no read begins with, and versions of such files. */
  unlistedFiles: number;
  oldVersions: number;
  rawFiles: number;
  events: number;
  /** Events in records that could not be counted, and in those that could not be kept. */
  setAsideEvents: number;
  unkeptEvents: number;
};

/**
 * Erases sessions of a funnel, so that no store holds anything of them. What is to be erased is recorded first: from
 * then on what comes late of these sessions counts nowhere, and a request that died on the way is carried on by any
 * later one. Raw events go last, as they tell which sessions a lead had.
 *
 * Others that erase are waited for, or one would bring back what the other took out; a dry run waits for nobody.
 *
 * @throws when a store fails; the same request again goes on. NoTurn when others took too long, before all else
 */
export async function eraseSessions(
  ports: EraseSessionsPorts,
  funnelId: string,
  asked: ErasureRequest,
  { dryRun = false } = {},
): Promise<ErasureCounts> {
  if (dryRun) return eraseAll(ports, funnelId, asked);
  return ports.withLease((turn) => eraseAll(ports, funnelId, asked, turn));
}

/** @param turn without it, only tells */
async function eraseAll(
  unguarded: EraseSessionsPorts,
  funnelId: string,
  asked: ErasureRequest,
  turn?: Lease,
): Promise<ErasureCounts> {
  const dryRun = turn === undefined;
  const ports = turn === undefined ? unguarded : guarded(unguarded, turn);
  // Before anybody looks, so that no session that is told later is missed by both.
  if (!dryRun) await ports.tombstones.addLeads(funnelId, asked.leadIds ?? []);
  const { found, ...subject } = await subjectOf(ports, funnelId, asked, { dryRun });
  const { sessionKeys } = subject;
  // Those of earlier requests keep their time.
  if (!dryRun) await ports.tombstones.addSessions(funnelId, found);
  const { lines: setAsideEvents } = await eraseDeadLetters(ports, subject, dryRun);
  const { lines: unkeptEvents } = await eraseDeliveryErrors(ports, subject, dryRun);
  const freshFacts = await eraseFreshFacts(ports.facts, funnelId, sessionKeys, dryRun);
  const nothing = dryRun || sessionKeys.size === 0;
  const listed = nothing
    ? await countFactsInManifestFiles(ports.facts, funnelId, sessionKeys)
    : await eraseManifestFiles(ports.facts, funnelId, sessionKeys);
  const unlisted = nothing
    ? { orphans: 0, oldVersions: 0 }
    : await eraseUnlistedFiles(ports.facts, funnelId, sessionKeys);
  const raw = await eraseRaw(ports.raw, new Map([[funnelId, [...sessionKeys]]]), turn);
  return {
    ...{ sessions: sessionKeys.size, requestedSessions: found.length },
    freshFacts,
    factFiles: listed.files,
    facts: listed.facts,
    unlistedFiles: unlisted.orphans,
    oldVersions: unlisted.oldVersions,
    rawFiles: raw.files,
    events: raw.events,
    ...{ setAsideEvents, unkeptEvents },
  };
}

const guarded = (ports: EraseSessionsPorts, turn: Lease): EraseSessionsPorts => ({
  ...ports,
  ...{ deadLetters: withLeaseGuard(ports.deadLetters, turn), lake: withLeaseGuard(ports.lake, turn) },
});

type Found = ErasureSubject & { /** By this request, not by earlier ones. */ found: readonly bigint[] };

async function subjectOf(
  ports: EraseSessionsPorts,
  funnelId: string,
  { sessionIds, leadIds = [], contact }: ErasureRequest,
  { dryRun }: { dryRun: boolean },
): Promise<Found> {
  const asked = new Set(sessionIds.map((id) => sessionKey(funnelId, id)));
  for (const key of await findSessionsOfPerson(ports, funnelId, { leadIds, contact })) asked.add(key);
  const isForNew = sessionIds.length + leadIds.length > 0 || contact !== undefined;
  const earlier = dryRun && isForNew ? [] : await ports.tombstones.listSessionKeys(funnelId);
  const sessionKeys = new Set([...earlier, ...asked]);
  return { funnelId, sessionKeys, sessionIds, leadIds, found: [...asked] };
}

/** The sessions of a funnel with an event that names one of these leads or holds the contact. */
export async function findSessionsOfPerson(
  ports: DeadLetterPorts & { raw: RawEventStore },
  funnelId: string,
  traces: PersonIdentifiers,
): Promise<Set<bigint>> {
  const { leadIds, contact } = traces;
  if (leadIds.length === 0 && contact === undefined) return new Set();
  const found = new Set(await findSessionsInDeadLetters(ports, funnelId, traces));
  for await (const { key: file } of ports.raw.listFiles()) {
    const keys = await ports.raw.open(file, async (rows) => [
      ...(leadIds.length === 0 ? [] : await rows.findSessionsMentioning(funnelId, leadIds)),
      ...(contact === undefined ? [] : await rows.findSessionsWithContact(funnelId, contact)),
    ]);
    for (const key of keys ?? []) found.add(key);
  }
  return found;
}

async function eraseRaw(raw: RawEventStore, sessions: SessionKeysByFunnel, turn: Lease | undefined) {
  const counted = { files: 0, events: 0 };
  if ([...sessions.values()].every((keys) => keys.length === 0)) return counted;
  for await (const { key } of raw.listFiles()) {
    const events = (await raw.open(key, (file) => file.countRows(sessions))) ?? 0;
    if (events === 0) continue;
    counted.files++;
    counted.events += events;
    if (turn !== undefined) await raw.removeSessions(key, sessions, turn);
  }
  return counted;
}
