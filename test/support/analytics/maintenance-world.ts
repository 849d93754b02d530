import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { runMajorCompactions } from '../../../shared/analytics/compaction/major-compaction.ts';
import { runMinorCompactions } from '../../../shared/analytics/compaction/minor-compaction.ts';
import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../shared/analytics/events/session-key.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import { reduceEventsToFacts } from '../../../shared/analytics/facts/reduce-events-to-facts.ts';
import { readOverview } from '../../../shared/analytics/queries/overview.ts';
import type { SnapshotPorts } from '../../../shared/analytics/queries/snapshot.ts';
import { withUncontendedLease } from '../platform/lease.ts';
import {
  addFresh,
  asNewProcess,
  createMemoryAnalytics,
  createMemoryFreshFacts,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
} from './analytics.ts';
import { memoryRewriter } from './compaction.ts';
import { aStoredEvent } from './lake.ts';
import {
  createMemoryRawEventStore,
  createMemoryStaging,
  createMemoryTombstones,
  FUNNEL,
  withoutErased,
} from './memory-stores.ts';

export const MARGIN_MS = 60_000;
const ALWAYS = { since: 0, untilMs: MAY_31 + 9 * DAY_MS, timeZone: 'UTC' };
const clock = { now: () => Date.now() };

export const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** Creates in-memory stores. An event is in the facts immediately and in a raw event file later. Needs fake timers. */
export function createMaintenanceWorld() {
  const kept = createMemoryFreshFacts();
  const tombstones = createMemoryTombstones(kept);
  const stores = { ...createMemoryAnalytics(), clock, fresh: withoutErased(kept, tombstones) };
  const raw = createMemoryRawEventStore();
  let events: Fact[] = [];
  let delayed: { dueMs: number; row: EventRow }[] = [];
  const land = () => {
    const due = delayed.filter(({ dueMs }) => dueMs <= Date.now());
    if (due.length > 0) raw.add(due.map(({ row }) => row));
    delayed = delayed.filter(({ dueMs }) => dueMs > Date.now());
  };
  const arrive = async (said: readonly EventRow[], delayMs: number) => {
    await addFresh(stores.fresh, FUNNEL, reduceEventsToFacts(said).get(FUNNEL) ?? []);
    delayed.push(...said.map((row) => ({ row, dueMs: Date.now() + delayMs })));
    events.push(...said.filter(({ bot }) => !bot).map(factOf));
    land();
  };
  /** Removes these sessions from the expected overview. */
  const forget = (sessionKeys: readonly bigint[]) => {
    events = events.filter((event) => !sessionKeys.includes(event.sessionKey));
  };
  /** A process with a cache. `observe` also reads with a process that has just started. */
  const running = asNewProcess(stores);
  const read = (ports: SnapshotPorts) => readOverview(ports, FUNNEL, { range: ALWAYS, filters: {} });
  const expected = () => expectedOverview(events, { sinceMs: 0, untilMs: ALWAYS.untilMs });
  const observe = async () => {
    expect(await read(running)).toEqual(expected());
    expect(await read(asNewProcess(stores))).toEqual(expected());
  };
  const rebuildPorts = {
    raw,
    staging: createMemoryStaging(stores.factReader),
    manifests: stores.manifests,
    writer: stores.writer,
    clock,
    tombstones,
    withLease: withUncontendedLease,
  };
  const rewriter = memoryRewriter(stores.factReader);
  const compact = async (level: 'minor' | 'major' = 'minor') => {
    if (level === 'minor') await runMinorCompactions(stores);
    else await runMajorCompactions({ ...stores, rewriter }, { isDue: () => true });
  };
  return { stores, kept, raw, tombstones, rebuildPorts, land, arrive, forget, read, expected, observe, compact };
}

export type MaintenanceWorld = ReturnType<typeof createMaintenanceWorld>;

/** Computes the fact of an event by the definition of a fact, without `reduceEventsToFacts`. */
const factOf = (row: EventRow): Fact => ({
  sessionKey: sessionKey(row.funnel_id, row.session_id),
  firstTimeMs: row.time_ms,
  clientTimeMs: row.client_time_ms,
  stepIndex: row.step_index,
  referrer: row.referrer,
  utmSource: row.utm_source,
  utmMedium: row.utm_medium,
  utmCampaign: row.utm_campaign,
  utmTerm: row.utm_term,
  utmContent: row.utm_content,
  deviceType: row.device_type,
  browser: row.browser,
  os: row.os,
  started: ['start', 'step_submit', 'complete'].includes(row.kind) || (row.step_index ?? 0) >= 1,
  completed: row.kind === 'complete',
});

export const someRow: fc.Arbitrary<EventRow> = fc
  .record({
    of: someEvent,
    session: fc.constantFrom('a', 'b', 'c', '😀'),
    kind: fc.constantFrom('view', 'start', 'step_view', 'step_submit', 'complete', ''),
    bot: fc.constantFrom(false, false, false, true),
  })
  .map(({ of, session, kind, bot }) =>
    aStoredEvent({
      session_id: session,
      kind,
      bot,
      time_ms: of.firstTimeMs,
      client_time_ms: of.clientTimeMs,
      step_index: of.stepIndex,
      referrer: of.referrer,
      utm_source: of.utmSource,
      utm_medium: of.utmMedium,
      utm_campaign: of.utmCampaign,
      utm_term: of.utmTerm,
      utm_content: of.utmContent,
      device_type: of.deviceType as 'mobile',
      browser: of.browser as 'chrome',
      os: of.os as 'ios',
    }),
  );
