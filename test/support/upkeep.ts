import { sessionKey } from '../../shared/analytics/events/session-key.ts';
import { lineOf, type StoredEvent } from '../../shared/analytics/events/stored-event.ts';
import type { Erasures } from '../../shared/analytics/facts/erasures.ts';
import type { Fact } from '../../shared/analytics/facts/fact.ts';
import type { FactReader } from '../../shared/analytics/facts/fact-files.ts';
import type { FreshFacts, FreshItem } from '../../shared/analytics/facts/fresh-facts.ts';
import type { Side, StagedFact, WithStaging } from '../../shared/analytics/upkeep/fact-staging.ts';
import type { RawEventFile, RawEvents, Sessions } from '../../shared/analytics/upkeep/raw-events.ts';
import { memoryFresh } from './analytics.ts';
import { aStoredEvent } from './lake.ts';

export const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';

/** An event's line on the stream. */
export function aLine(said: Partial<StoredEvent> = {}): string {
  const event = aStoredEvent(said);
  return lineOf(sessionKey(event.funnel_id, event.session_id), event);
}

/** Raw events in memory, a file at a time. */
export function memoryRawEvents() {
  const files = new Map<string, StoredEvent[]>();
  const writtenMs = new Map<string, number>();
  let written = 0;
  const open: RawEvents['open'] = async (key, look) => {
    const rows = files.get(key);
    return rows === undefined ? undefined : look(fileOf(rows));
  };
  return {
    stored: files,
    add: (rows: readonly StoredEvent[]) => {
      const key = `events/arrival_date=2026-05-31/${++written}`;
      files.set(key, [...rows]);
      writtenMs.set(key, Date.now());
    },
    files: async function* () {
      for (const key of [...files.keys()]) yield { key, bytes: 1, atMs: writtenMs.get(key) ?? 0 };
    },
    open,
    removeSessions: async (key: string, sessions: Sessions) => {
      const rest = (files.get(key) ?? []).filter((row) => !isOf(row, sessions));
      files.delete(key);
      if (rest.length > 0) files.set(`${key}-rest`, rest);
    },
  } satisfies RawEvents & Record<string, unknown>;
}

const keyOf = (row: StoredEvent): bigint => sessionKey(row.funnel_id, row.session_id);

const fileOf = (rows: readonly StoredEvent[]): RawEventFile => ({
  events: async function* (funnelId) {
    yield rows.filter(({ funnel_id }) => funnel_id === funnelId);
  },
  sessionsNaming: async (funnelId, uuids) =>
    rows
      .filter((row) => row.funnel_id === funnelId && uuids.some((uuid) => row.payload.toLowerCase().includes(uuid)))
      .map(keyOf),
  sessionsWithContact: async (funnelId, { isIn }) =>
    rows.filter((row) => row.funnel_id === funnelId && isIn(`${row.payload} ${row.page_url}`)).map(keyOf),
  textsOf: async function* (sessions) {
    for (const row of rows) if (isOf(row, sessions)) yield JSON.stringify(row);
  },
  countOf: async (sessions) => rows.filter((row) => isOf(row, sessions)).length,
});

const isOf = (row: StoredEvent, sessions: Sessions): boolean =>
  sessions.get(row.funnel_id)?.includes(keyOf(row)) ?? false;

/** A place for facts in memory. */
export const memoryStaging =
  (files: Pick<FactReader, 'read'>): WithStaging =>
  (work) => {
    const staged: StagedFact[] = [];
    const add = async (side: Side, facts: readonly Fact[]) => {
      for (const fact of facts) staged.push({ side, fact });
    };
    return work({
      add,
      addFile: async (side, file) => add(side, await files.read([file])),
      sessions: async function* () {
        const sessions = Map.groupBy(staged, ({ fact }) => fact.sessionKey);
        for (const [, session] of [...sessions].sort(([a], [b]) => (a < b ? -1 : 1))) yield session;
      },
    });
  };

/** Erased sessions in memory, and fresh facts read without them. */
export function memoryErasures(fresh: Omit<FreshFacts, 'waiting'> = memoryFresh()): Erasures {
  const erased = new Map<string, Set<bigint>>();
  const since = new Map<bigint, number>();
  const leads: { funnelId: string; leadId: string }[] = [];
  return {
    addLeads: async (funnelId, leadIds) => void leads.push(...leadIds.map((leadId) => ({ funnelId, leadId }))),
    leads: async () => leads,
    add: async (funnelId, keys) => {
      erased.set(funnelId, new Set([...(erased.get(funnelId) ?? []), ...keys]));
      for (const key of keys) since.set(key, Date.now());
    },
    all: async () =>
      [...erased].flatMap(([funnelId, keys]) =>
        Array.from(keys, (sessionKey) => ({ funnelId, sessionKey, sinceMs: since.get(sessionKey) ?? 0 })),
      ),
    keys: async (funnelId) => [...(erased.get(funnelId) ?? [])],
    freshItems: async function* (funnelId, keys) {
      for (const { ref, facts } of await fresh.read(funnelId)) {
        const others = facts.filter(({ sessionKey: key }) => !keys.has(key));
        if (others.length < facts.length) yield { ref, erased: facts.length - others.length, others };
      }
    },
  };
}

/** Fresh facts as everyone but whoever erases reads them. */
export function withoutErased<F extends FreshFacts>(fresh: F, erasures: Erasures): F {
  const filtered = async (funnelId: string, items: FreshItem[]) => {
    const erased = await erasures.keys(funnelId);
    return items.map(({ ref, facts }) => ({ ref, facts: facts.filter((fact) => !erased.includes(fact.sessionKey)) }));
  };
  return {
    ...fresh,
    read: async (funnelId) => filtered(funnelId, await fresh.read(funnelId)),
    readSome: async (funnelId, max) => {
      const { items, all } = await fresh.readSome(funnelId, max);
      return { items: await filtered(funnelId, items), all };
    },
  };
}
