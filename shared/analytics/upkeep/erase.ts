import { sessionKey } from '../events/session-key.ts';
import type { Erasures } from '../facts/erasures.ts';
import { countListed, eraseFresh, eraseListed, eraseUnlisted, type FactPorts } from './erase-facts.ts';
import { eraseSetAside, eraseUnkept, type RecordPorts, sessionsInRecords } from './erase-records.ts';
import type { Subject, Traces } from './erased-lines.ts';
import type { ContactSearch, RawEvents, Sessions } from './raw-events.ts';
import { inTurnOnly } from './stored-objects.ts';
import type { InTurn, Turn } from './turns.ts';

export type ErasePorts = RecordPorts & {
  facts: FactPorts;
  raw: RawEvents;
  erasures: Pick<Erasures, 'add' | 'addLeads' | 'keys'>;
  inTurn: InTurn;
};

/** Whose data goes: sessions by their ids, and all those with an event that names one of these leads or holds the contact. */
export type Request = {
  sessionIds: readonly string[];
  leadIds?: readonly string[];
  contact?: ContactSearch | undefined;
};

/** What was removed, or would be, from each store. */
export type Erased = {
  /** Those of this request, and those of earlier ones, which it completes. A dry run counts this request's alone. */
  sessions: number;
  /** Those that were asked for alone. */
  asked: number;
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
export async function erase(
  ports: ErasePorts,
  funnelId: string,
  asked: Request,
  { dryRun = false } = {},
): Promise<Erased> {
  if (dryRun) return eraseAll(ports, funnelId, asked);
  return ports.inTurn((turn) => eraseAll(ports, funnelId, asked, turn));
}

/** @param turn without it, only tells */
async function eraseAll(unguarded: ErasePorts, funnelId: string, asked: Request, turn?: Turn): Promise<Erased> {
  const dryRun = turn === undefined;
  const ports = turn === undefined ? unguarded : guarded(unguarded, turn);
  // Before anybody looks, so that no session that is told later is missed by both.
  if (!dryRun) await ports.erasures.addLeads(funnelId, asked.leadIds ?? []);
  const { found, ...subject } = await subjectOf(ports, funnelId, asked, { dryRun });
  const { sessionKeys } = subject;
  // Those of earlier requests keep their time.
  if (!dryRun) await ports.erasures.add(funnelId, found);
  const { lines: setAsideEvents } = await eraseSetAside(ports, subject, dryRun);
  const { lines: unkeptEvents } = await eraseUnkept(ports, subject, dryRun);
  const freshFacts = await eraseFresh(ports.facts, funnelId, sessionKeys, dryRun);
  const nothing = dryRun || sessionKeys.size === 0;
  const listed = nothing
    ? await countListed(ports.facts, funnelId, sessionKeys)
    : await eraseListed(ports.facts, funnelId, sessionKeys);
  const unlisted = nothing ? { orphans: 0, oldVersions: 0 } : await eraseUnlisted(ports.facts, funnelId, sessionKeys);
  const raw = await eraseRaw(ports.raw, new Map([[funnelId, [...sessionKeys]]]), turn);
  return {
    ...{ sessions: sessionKeys.size, asked: found.length },
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

const guarded = (ports: ErasePorts, turn: Turn): ErasePorts => ({
  ...ports,
  ...{ setAside: inTurnOnly(ports.setAside, turn), lake: inTurnOnly(ports.lake, turn) },
});

type Found = Subject & { /** By this request, not by earlier ones. */ found: readonly bigint[] };

async function subjectOf(
  ports: ErasePorts,
  funnelId: string,
  { sessionIds, leadIds = [], contact }: Request,
  { dryRun }: { dryRun: boolean },
): Promise<Found> {
  const asked = new Set(sessionIds.map((id) => sessionKey(funnelId, id)));
  for (const key of await sessionsOfPerson(ports, funnelId, { leadIds, contact })) asked.add(key);
  const isForNew = sessionIds.length + leadIds.length > 0 || contact !== undefined;
  const earlier = dryRun && isForNew ? [] : await ports.erasures.keys(funnelId);
  const sessionKeys = new Set([...earlier, ...asked]);
  return { funnelId, sessionKeys, sessionIds, leadIds, found: [...asked] };
}

/** The sessions of a funnel with an event that names one of these leads or holds the contact. */
export async function sessionsOfPerson(
  ports: RecordPorts & { raw: RawEvents },
  funnelId: string,
  traces: Traces,
): Promise<Set<bigint>> {
  const { leadIds, contact } = traces;
  if (leadIds.length === 0 && contact === undefined) return new Set();
  const found = new Set(await sessionsInRecords(ports, funnelId, traces));
  for await (const { key: file } of ports.raw.files()) {
    const keys = await ports.raw.open(file, async (rows) => [
      ...(leadIds.length === 0 ? [] : await rows.sessionsNaming(funnelId, leadIds)),
      ...(contact === undefined ? [] : await rows.sessionsWithContact(funnelId, contact)),
    ]);
    for (const key of keys ?? []) found.add(key);
  }
  return found;
}

async function eraseRaw(raw: RawEvents, sessions: Sessions, turn: Turn | undefined) {
  const counted = { files: 0, events: 0 };
  if ([...sessions.values()].every((keys) => keys.length === 0)) return counted;
  for await (const { key } of raw.files()) {
    const events = (await raw.open(key, (file) => file.countOf(sessions))) ?? 0;
    if (events === 0) continue;
    counted.files++;
    counted.events += events;
    if (turn !== undefined) await raw.removeSessions(key, sessions, turn);
  }
  return counted;
}
