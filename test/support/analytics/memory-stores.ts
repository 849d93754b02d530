import type { Side, StagedFact, WithStaging } from '../../../infra/cli/analytics/rebuild/fact-staging.ts';
import { type EventRow, toJsonLine } from '../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../shared/analytics/events/session-key.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import type {
  FactReader,
  FreshFactRepository,
  FreshItem,
  TombstoneRepository,
} from '../../../shared/analytics/facts/ports.ts';
import type { RawEventFile, RawEventStore, SessionKeysByFunnel } from '../../../shared/analytics/raw-events/ports.ts';
import { createMemoryFreshFacts } from './analytics.ts';
import { aStoredEvent } from './lake.ts';

export const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';

/** An event's line on the stream. */
export function aLine(overrides: Partial<EventRow> = {}): string {
  const event = aStoredEvent(overrides);
  return toJsonLine(sessionKey(event.funnel_id, event.session_id), event);
}

/** In-memory raw event files. `add` stores one file. */
export function createMemoryRawEventStore() {
  const files = new Map<string, EventRow[]>();
  const writtenMs = new Map<string, number>();
  let written = 0;
  const open: RawEventStore['open'] = async (key, look) => {
    const rows = files.get(key);
    return rows === undefined ? undefined : look(fileOf(rows));
  };
  return {
    stored: files,
    add: (rows: readonly EventRow[]) => {
      const key = `events/arrival_date=2026-05-31/${++written}`;
      files.set(key, [...rows]);
      writtenMs.set(key, Date.now());
    },
    listFiles: async function* () {
      for (const key of [...files.keys()]) yield { key, bytes: 1, atMs: writtenMs.get(key) ?? 0 };
    },
    open,
    removeSessions: async (key: string, sessions: SessionKeysByFunnel) => {
      const rest = (files.get(key) ?? []).filter((row) => !isOf(row, sessions));
      files.delete(key);
      if (rest.length > 0) files.set(`${key}-rest`, rest);
    },
  } satisfies RawEventStore & Record<string, unknown>;
}

const keyOf = (row: EventRow): bigint => sessionKey(row.funnel_id, row.session_id);

const fileOf = (rows: readonly EventRow[]): RawEventFile => ({
  events: async function* (funnelId) {
    yield rows.filter(({ funnel_id }) => funnel_id === funnelId);
  },
  findSessionsMentioning: async (funnelId, uuids) =>
    rows
      .filter((row) => row.funnel_id === funnelId && uuids.some((uuid) => row.payload.toLowerCase().includes(uuid)))
      .map(keyOf),
  findSessionsWithContact: async (funnelId, { isIn }) =>
    rows.filter((row) => row.funnel_id === funnelId && isIn(`${row.payload} ${row.page_url}`)).map(keyOf),
  exportRows: async function* (sessions) {
    for (const row of rows) if (isOf(row, sessions)) yield JSON.stringify(row);
  },
  countRows: async (sessions) => rows.filter((row) => isOf(row, sessions)).length,
});

const isOf = (row: EventRow, sessions: SessionKeysByFunnel): boolean =>
  sessions.get(row.funnel_id)?.includes(keyOf(row)) ?? false;

export const createMemoryStaging =
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

/** In-memory tombstones. `findFreshItems` searches `fresh`. */
export function createMemoryTombstones(
  fresh: Omit<FreshFactRepository, 'listPendingFunnels'> = createMemoryFreshFacts(),
): TombstoneRepository {
  const erased = new Map<string, Set<bigint>>();
  const since = new Map<bigint, number>();
  const leads: { funnelId: string; leadId: string }[] = [];
  return {
    addLeads: async (funnelId, leadIds) => void leads.push(...leadIds.map((leadId) => ({ funnelId, leadId }))),
    listAllLeads: async () => leads,
    addSessions: async (funnelId, keys) => {
      erased.set(funnelId, new Set([...(erased.get(funnelId) ?? []), ...keys]));
      for (const key of keys) since.set(key, Date.now());
    },
    listAllSessions: async () =>
      [...erased].flatMap(([funnelId, keys]) =>
        Array.from(keys, (sessionKey) => ({ funnelId, sessionKey, sinceMs: since.get(sessionKey) ?? 0 })),
      ),
    listSessionKeys: async (funnelId) => [...(erased.get(funnelId) ?? [])],
    findFreshItems: async function* (funnelId, keys) {
      for (const { ref, facts } of await fresh.read(funnelId)) {
        const others = facts.filter(({ sessionKey: key }) => !keys.has(key));
        if (others.length < facts.length) yield { ref, erased: facts.length - others.length, others };
      }
    },
  };
}

/** Wraps fresh facts. Reads leave out erased sessions, as the DynamoDB repository does. */
export function withoutErased<F extends FreshFactRepository>(fresh: F, tombstones: TombstoneRepository): F {
  const filtered = async (funnelId: string, items: FreshItem[]) => {
    const erased = await tombstones.listSessionKeys(funnelId);
    return items.map(({ ref, facts }) => ({ ref, facts: facts.filter((fact) => !erased.includes(fact.sessionKey)) }));
  };
  return {
    ...fresh,
    read: async (funnelId) => filtered(funnelId, await fresh.read(funnelId)),
    readBatch: async (funnelId, max) => {
      const { items, isLast } = await fresh.readBatch(funnelId, max);
      return { items: await filtered(funnelId, items), isLast };
    },
  };
}
