import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVENTS } from '../../../infra/lake-views/events-view.ts';
import { FUNNEL_STEPS } from '../../../infra/lake-views/funnel-steps-view.ts';
import { LAKE_TABLES } from '../../../infra/lake-views/lake-tables.ts';
import { ATHENA } from '../../../infra/lake-views/sql-dialect.ts';
import { LAKE_VIEWS } from '../../../infra/lake-views/views.ts';
import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { FACT_DIMENSIONS, type Fact, mergeFactsBySession } from '../../../shared/analytics/facts/fact.ts';
import { FACT_COLUMNS } from '../../../shared/analytics/facts/fact-columns.ts';
import { reduceEventsToFacts } from '../../../shared/analytics/facts/reduce-events-to-facts.ts';
import { DAY_MS, MAY_31, someEvent } from '../../support/analytics/analytics.ts';
import { aStoredEvent } from '../../support/analytics/lake.ts';
import { rowsOf, viewsOver } from '../../support/analytics/lake-views.ts';
import { PATIENCE_MS } from '../../support/analytics/model-based/timeout.ts';

/** Returns the row of the sessions view for a fact. */
const shown = (funnelId: string, fact: Fact) => ({
  funnel_id: funnelId,
  session_key: fact.sessionKey,
  first_ms: BigInt(fact.firstTimeMs),
  step_index: fact.stepIndex === null ? null : BigInt(fact.stepIndex),
  ...Object.fromEntries(FACT_DIMENSIONS.map((name) => [FACT_COLUMNS[name].name, fact[name]])),
  started: fact.started,
  completed: fact.completed,
});
const SHOWN = `funnel_id, session_key, epoch_ms(first_time) AS first_ms, step_index,
  ${FACT_DIMENSIONS.map((name) => FACT_COLUMNS[name].name).join(', ')}, started, completed`;

const sorted = (rows: readonly object[]) =>
  rows.map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))).sort();

/**
 * Generates facts of many funnels for each run, because loading the views takes longer than querying them. Sessions of
 * different funnels can have the same key.
 */
const someFunnels = fc.array(fc.array(someEvent, { maxLength: 14 }), { minLength: 40, maxLength: 60 });

test(
  'the sessions view returns the same facts as mergeFactsBySession, for facts in any order and with repetitions',
  async () => {
    await fc.assert(
      fc.asyncProperty(someFunnels, fc.infiniteStream(fc.nat(2)), async (funnels, repeats) => {
        const facts = funnels.flatMap((of, at) =>
          of.flatMap((fact) =>
            Array.from({ length: 1 + (repeats.next().value ?? 0) }, () => ({
              funnelId: `funnel-${at}`,
              fact,
              completeUntilMs: at,
            })),
          ),
        );
        const expected = funnels.flatMap((of, at) =>
          [...mergeFactsBySession(of).values()].map((fact) => shown(`funnel-${at}`, fact)),
        );
        const rows = await viewsOver({ facts: facts.reverse() }, (connection) =>
          rowsOf(connection, `SELECT ${SHOWN} FROM sessions`),
        );
        expect(sorted(rows)).toEqual(sorted(expected));
      }),
      { numRuns: 120 },
    );
  },
  PATIENCE_MS,
);

test('each view has the declared columns in the declared order, and each column has a description', async () => {
  await viewsOver({}, async (connection) => {
    for (const { name, columns } of LAKE_VIEWS) {
      const described = await rowsOf(connection, `DESCRIBE ${name}`);
      expect(described.map((row) => [row.column_name, row.column_type])).toEqual(
        columns.map((column) => [column.name, column.type]),
      );
      for (const column of columns) expect(column.about).toMatch(/\.$/);
    }
  });
  for (const { columns } of LAKE_TABLES) for (const { about } of columns) expect(about).toMatch(/\.$/);
});

test('complete_until of a session is the latest completeUntilMs in its funnel, or NULL if the latest is 0', async () => {
  const fact = (sessionKey: bigint): Fact => ({ ...ANY, sessionKey });
  const facts = [
    { funnelId: 'a', fact: fact(1n), completeUntilMs: MAY_31 },
    { funnelId: 'a', fact: fact(2n), completeUntilMs: MAY_31 + DAY_MS },
    { funnelId: 'b', fact: fact(1n), completeUntilMs: 0 },
  ];
  const rows = await viewsOver({ facts }, (connection) =>
    rowsOf(connection, 'SELECT funnel_id, session_key, epoch_ms(complete_until) AS ms FROM sessions ORDER BY 1, 2'),
  );
  expect(rows.map(({ funnel_id, ms }) => [funnel_id, ms])).toEqual([
    ['a', BigInt(MAY_31 + DAY_MS)],
    ['a', BigInt(MAY_31 + DAY_MS)],
    ['b', null],
  ]);
});

const [ANY = {} as Fact] = fc.sample(someEvent, { numRuns: 1, seed: 1 });

const ID = '0d3c1f52-7a84-4f0e-9a35-1c0d8c6b2f10';
const OTHER_FUNNEL = 'b0000000-0000-4000-8000-000000000000';

test('an event that is stored several times is one row; events with the same id in two funnels are two rows', async () => {
  const event = aStoredEvent({ event_id: ID });
  const events = [event, event, aStoredEvent({ event_id: ID, funnel_id: OTHER_FUNNEL, kind: 'start' }), event];
  const rows = await viewsOver({ events }, (connection) => rowsOf(connection, 'SELECT * FROM events ORDER BY kind'));
  expect(rows.map(({ funnel_id, event_id, kind }) => [funnel_id, event_id, kind])).toEqual([
    [OTHER_FUNNEL, ID, 'start'],
    [event.funnel_id, ID, 'view'],
  ]);
});

test('if several rows of a funnel have the same event id, the view returns only one row, with the earliest arrival', async () => {
  const different = fc.record({
    received_ms: fc.constantFrom(MAY_31, MAY_31 + 1),
    kind: fc.constantFrom('view', 'start', ''),
    step_index: fc.constantFrom(null, 0, 1),
    version: fc.constantFrom(null, 3),
    utm_source: fc.constantFrom('', '😀', '！'),
    bot: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(different, { minLength: 1, maxLength: 8 }), fc.nat(), async (said, turn) => {
      const events = said.map((row) => aStoredEvent({ event_id: ID, ...row }));
      const turned = [...events.slice(turn % events.length), ...events.slice(0, turn % events.length)].reverse();
      const one = await viewsOver({ events }, (connection) => rowsOf(connection, 'FROM events'));
      const other = await viewsOver({ events: [...turned, ...events] }, (connection) =>
        rowsOf(connection, 'FROM events'),
      );
      expect(sorted(one)).toEqual(sorted(other));
      expect(one).toHaveLength(1);
      const [arrival] = await viewsOver({ events }, (connection) =>
        rowsOf(connection, 'SELECT epoch_ms(received_time) AS ms FROM events'),
      );
      expect(arrival?.ms).toBe(BigInt(Math.min(...said.map(({ received_ms }) => received_ms))));
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('if an event has no payload, the view returns NULL, so that JSON functions accept every row', async () => {
  const events = [
    aStoredEvent({ kind: 'a', payload: '{"plan":"gold"}' }),
    aStoredEvent({ kind: 'b', payload: '' }),
    aStoredEvent({ kind: 'c', payload: '{}' }),
  ];
  const rows = await viewsOver({ events }, (connection) =>
    rowsOf(connection, "SELECT payload, json_extract_string(payload, '$.plan') AS plan FROM events ORDER BY kind"),
  );
  expect(rows).toEqual([
    { payload: '{"plan":"gold"}', plan: 'gold' },
    { payload: null, plan: null },
    { payload: '{}', plan: null },
  ]);
  // The view for Athena contains the same expression, which no test can run here.
  expect(EVENTS.select(ATHENA, 'UTC')).toContain("nullif(payload, '') AS payload");
});

const HAVANA = 'America/Havana';

test('days begin at midnight in the given time zone, even if clocks go back over midnight', async () => {
  // In Havana 2026-11-01 begins at 04:00Z; at 05:00Z it is 00:00 again.
  const times = ['2026-11-01T03:59:59.999Z', '2026-11-01T04:00:00Z', '2026-11-01T05:00:00Z', '2026-11-02T05:00:00Z'];
  const events = times.map((time, at) =>
    aStoredEvent({ session_id: `${at}`, time_ms: Date.parse(time), step_index: 0, step_id: 'a' }),
  );
  const facts = [...reduceEventsToFacts(events)].flatMap(([funnelId, of]) =>
    of.map((fact) => ({ funnelId, fact, completeUntilMs: 0 })),
  );
  const days = (name: string) => `SELECT day::VARCHAR AS day, count(*) AS n FROM ${name} GROUP BY day ORDER BY day`;
  await viewsOver(
    { facts, events },
    async (connection) => {
      const expected = [
        { day: '2026-10-31', n: 1n },
        { day: '2026-11-01', n: 2n },
        { day: '2026-11-02', n: 1n },
      ];
      expect(await rowsOf(connection, days('sessions'))).toEqual(expected);
      expect(await rowsOf(connection, days('events'))).toEqual(expected);
      const daily = 'SELECT day::VARCHAR AS day, sessions AS n FROM funnel_daily ORDER BY day';
      expect(await rowsOf(connection, daily)).toEqual(expected);
      const steps = 'SELECT day::VARCHAR AS day, reached AS n FROM funnel_steps ORDER BY day';
      expect(await rowsOf(connection, steps)).toEqual(expected);
      const [local] = await rowsOf(connection, 'SELECT local_time::VARCHAR AS t FROM sessions ORDER BY first_time');
      expect(local?.t).toBe('2026-10-31 23:59:59.999');
    },
    HAVANA,
  );
});

test('funnel_steps counts a session once per reached step, on the session’s first day, and ignores bots', async () => {
  const at = (session: string, day: number, kind: string, step: number | null, said: Partial<EventRow> = {}) =>
    aStoredEvent({
      session_id: session,
      time_ms: MAY_31 + day * DAY_MS,
      kind,
      step_index: step,
      step_id: step === null ? '' : `step-${step}`,
      ...said,
    });
  const events = [
    ...[at('a', 0, 'view', null), at('a', 0, 'step_view', 0), at('a', 0, 'step_view', 0), at('a', 0, 'step_submit', 0)],
    ...[
      at('a', 3, 'step_view', 1),
      at('a', 3, 'step_submit', 1),
      at('a', 3, 'complete', 1),
      at('a', 3, 'step_view', 2),
    ],
    ...[at('b', 0, 'step_view', 0), at('b', 0, 'step_submit', 0), at('b', 0, 'step_view', 1)],
    ...[at('c', 1, 'step_view', 0), at('c', 1, 'complete', null)],
    at('robot', 0, 'step_view', 0, { bot: true }),
  ];
  const rows = await viewsOver({ events: [...events, ...events] }, (connection) =>
    rowsOf(connection, 'SELECT * EXCLUDE (funnel_id) FROM funnel_steps ORDER BY day, step_index'),
  );
  const shownRow = ({ day, step_id, reached, submitted, went_on, went_on_rate }: (typeof rows)[number]) =>
    [String(day), step_id, Number(reached), Number(submitted), Number(went_on), went_on_rate].join(' ');
  expect(rows.map(shownRow)).toEqual([
    '2026-05-31 step-0 2 2 2 100',
    '2026-05-31 step-1 2 1 1 50',
    '2026-05-31 step-2 1 0 0 0',
    '2026-06-01 step-0 1 0 1 100',
  ]);
  expect(FUNNEL_STEPS.columns.map(({ name }) => name)).toContain('went_on_rate');
});
