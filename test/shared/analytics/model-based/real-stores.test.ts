import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  historyOf,
  someAction,
  someMoment,
  someQuestion,
  ZONES,
} from '../../../support/analytics/model-based/arbitraries.ts';
import { expectMatchesOracle } from '../../../support/analytics/model-based/expect-matches-oracle.ts';
import { dateAt, instantOf } from '../../../support/analytics/model-based/oracle-calendar.ts';
import { oracleOverview } from '../../../support/analytics/model-based/oracle-reads.ts';
import {
  isAcceptable,
  ORACLE_DIMENSIONS,
  type OracleSession,
} from '../../../support/analytics/model-based/oracle-sessions.ts';
import { keepRaw, queryAll, realStores } from '../../../support/analytics/model-based/real-stores.ts';
import { DAY_MS } from '../../../support/analytics/model-based/sent-events.ts';
import { createWorld, type World } from '../../../support/analytics/model-based/simulation.ts';
import { upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const RUNS = 40;
const someHistory = historyOf(fc.tuple(someAction, someQuestion), 9);

/** Makes sure that all facts are in stored files. */
async function settle(world: World): Promise<void> {
  await world.act({ do: 'resend all', batch: 3 });
  await world.act({ do: 'minor', crash: null });
}

const sessionsIn = async (world: World): Promise<readonly OracleSession[]> =>
  (await Promise.all(world.funnels.map((id) => world.sessionsOf(id)))).flatMap(([sessions = []]) => sessions);

test(
  'after any history in DynamoDB and Parquet files, reads and the SQL views return the same as the oracle',
  async () => {
    await fc.assert(
      fc.asyncProperty(someMoment, someHistory, fc.constantFrom(...ZONES), async (nowMs, history, zone) => {
        const { stores, objects } = realStores();
        const world = createWorld(stores, upkeep, nowMs);
        for (const [action, question] of history) {
          await world.act(action);
          for (const [at, reader] of world.stores.readers().entries())
            await expectMatchesOracle(world, reader, world.funnels[at] ?? '', question);
        }
        await settle(world);
        const sessions = await sessionsIn(world);
        expect(byText(await queryAll(objects.stored, SESSIONS))).toEqual(byText(sessions.map(rowOf)));
        expect(await queryAll(objects.stored, DAILY, zone)).toEqual(dailyOf(sessions, zone));
        await keepRaw(objects, world.stream, 2);
        expect(await queryAll(objects.stored, EVENTS)).toEqual(eventsOf(world));
        await world.act({ do: 'major', crash: null });
      }),
      { numRuns: RUNS },
    );
  },
  PATIENCE_MS,
);

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const SESSIONS = `SELECT funnel_id AS "funnelId", epoch_ms(first_time)::DOUBLE AS "firstMs", started, completed,
  ${ORACLE_DIMENSIONS.map((name) => `${snakeCase(name)} AS "${name}"`).join(', ')} FROM sessions`;
const rowOf = ({ funnelId, firstMs, started, completed, ...dimensions }: OracleSession) => ({
  funnelId,
  firstMs,
  started,
  completed,
  ...Object.fromEntries(ORACLE_DIMENSIONS.map((name) => [name, dimensions[name]])),
});
const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

const DAILY = `SELECT funnel_id, day::VARCHAR AS day, sessions::INTEGER AS total, starts::INTEGER AS starts,
  completions::INTEGER AS completions, conversion_rate FROM funnel_daily ORDER BY funnel_id, day`;

function dailyOf(sessions: readonly OracleSession[], zone: string) {
  const days = Map.groupBy(sessions, ({ funnelId, firstMs }) => `${funnelId} ${dateAt(firstMs, zone)}`);
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, of]) => {
      const { overview } = oracleOverview(of);
      const [funnel_id, day] = key.split(' ');
      const counts = { total: of.length, starts: overview.totalStarts, completions: overview.totalCompletions };
      return { funnel_id, day, ...counts, conversion_rate: overview.conversionRate };
    });
}

const EVENTS = `SELECT funnel_id, event_id, epoch_ms(received_time)::DOUBLE AS arrived_ms
  FROM events ORDER BY funnel_id, event_id`;

/** For each event id of a funnel, the event that arrived first, including events of bots. */
function eventsOf({ stream }: World) {
  const accepted = stream
    .flatMap(({ arrived }) => arrived)
    .filter((one) => isAcceptable(one) && one.arrivalMs - instantOf(one.event.timestamp) <= 30 * DAY_MS);
  const byId = Map.groupBy(accepted, ({ funnelId, event }) => `${funnelId} ${event.eventId}`);
  return [...byId]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, of]) => {
      const [funnel_id, event_id] = key.split(' ');
      return { funnel_id, event_id, arrived_ms: Math.min(...of.map(({ arrivalMs }) => arrivalMs)) };
    });
}
