import { randomUUID } from 'node:crypto';
import { classifyClient } from '../../../../shared/analytics/ingest/client-class.ts';
import { consumeRecords, type RecordOutcome } from '../../../../shared/analytics/ingest/consume-records.ts';
import { ingestEvents } from '../../../../shared/analytics/ingest/ingest-events.ts';
import type { ReceivedRecord } from '../../../../shared/analytics/ingest/stream-records.ts';
import type { SnapshotPorts } from '../../../../shared/analytics/queries/snapshot.ts';
import { Funnel } from '../../../../shared/funnels/funnel.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { aRecord } from '../events.ts';
import { type Action, type Crash, timestampOf, type Visit } from './arbitraries.ts';
import { crashAtEffect, interceptEffects } from './intercept-effects.ts';
import { type OracleSession, oracleSessions } from './oracle-sessions.ts';
import { type Arrived, CLIENTS, type Client } from './sent-events.ts';
import type { ProductStores, Upkeep } from './system-under-test.ts';

/** A record and the events of the request that sent it. */
export type Streamed = { record: ReceivedRecord; arrived: Arrived[] };

/** Called after writes of the service and after each action, to compare reads with the possible states. */
export type Observe = (readers: readonly SnapshotPorts[]) => Promise<void>;

/**
 * The possible states of a funnel. While a batch is delivered, there are two states: without the events of the batch,
 * and with them. Otherwise, there is one state.
 */
export type Expected = readonly (readonly OracleSession[])[];

export type World = ReturnType<typeof createWorld>;

const NO_SESSIONS: readonly OracleSession[] = [];

type State = () => Promise<Map<string, OracleSession[]>>;

/** The sessions by funnel. They are computed once, on demand. */
function stateOf(arrived: readonly Arrived[]): State {
  let state: ReturnType<State> | undefined;
  return () => {
    state ??= oracleSessions(arrived).then((sessions) => Map.groupBy(sessions, ({ funnelId }) => funnelId));
    return state;
  };
}

/** Creates two funnels with common stores and a common stream, and keeps the events that were sent. */
export function createWorld(storesBy: (clock: Clock) => ProductStores, upkeep: Upkeep, nowMs: number) {
  const funnels = [0, 1].map(() =>
    Funnel.parse({ id: randomUUID(), orgId: randomUUID(), publishedVersionId: randomUUID() }),
  );
  const clock = { ms: nowMs, now: () => clock.ms };
  const stores = storesBy(clock);
  const stream: Streamed[] = [];
  const counted = new Set<Streamed>();
  const forgotten = new Set<string>();
  const deadLetters = { put: async () => undefined };
  let states: State[] = [stateOf([])];
  let observe: Observe = async () => undefined;
  let seen: unknown;
  let looks = 0;

  const world = {
    funnels: funnels.map(({ id }) => id),
    clock,
    stores,
    stream: stream as readonly Streamed[],
    /** Records that have been counted, or are being counted. */
    delivered: (): readonly Streamed[] => [...counted],
    observedBy: (by: Observe) => {
      observe = by;
    },
    /** The funnel's sessions according to the oracle, in each of the possible states. */
    sessionsOf: (funnelId: string): Promise<Expected> =>
      Promise.all(states.map(async (state) => (await state()).get(funnelId) ?? NO_SESSIONS)),
    act,
    /** Removes the session and its later events from the expected states. */
    forget: (funnelId: string, sessionId: string) => {
      forgotten.add(`${funnelId} ${sessionId}`);
      states = [stateOf(countedEvents())];
    },
  };

  function countedEvents(): Arrived[] {
    const events = Array.from(counted, ({ arrived }) => arrived).flat();
    return events.filter(({ funnelId, event }) => !forgotten.has(`${funnelId} ${event.sessionId}`));
  }

  async function act(action: Action): Promise<void> {
    if (action.do === 'tick') clock.ms += action.ms;
    if (action.do === 'send' || action.do === 'arrive') await send(action.funnel, action.client, action.visits);
    if (action.do === 'arrive') await deliver(stream.slice(-1), null);
    if (action.do === 'deliver') await deliverSome(action);
    if (action.do === 'resend all')
      for (let at = 0; at < stream.length; at += action.batch) await deliver(stream.slice(at, at + action.batch), null);
    if (action.do === 'minor' || action.do === 'major' || action.do === 'sweep') {
      const ports = interceptEffects(
        stores.ports,
        crashAtEffect(action.crash, () => look()),
      );
      await upkeep[action.do]({ ...ports, clock });
    }
    if (action.do === 'restart') stores.restart();
    await look(stores.readers());
    if (seen !== undefined) throw seen;
  }

  /**
   * Calls the observer. If the observer throws, the service may catch the error like an error of a port. `seen` keeps
   * the error, so that the test still fails.
   */
  async function look(
    readers: readonly SnapshotPorts[] = stores.readers().filter((_, at) => at === looks % 2),
  ): Promise<void> {
    looks++;
    try {
      await observe(readers);
    } catch (cause) {
      seen ??= cause;
      throw cause;
    }
  }

  async function send(at: 0 | 1, client: Client, visits: readonly Visit[]): Promise<void> {
    const funnel = funnels[at] ?? raise();
    const { headers } = CLIENTS[client];
    const events = visits.map(({ agoMs, offset, event }) => ({
      ...event,
      timestamp: timestampOf(clock.ms - agoMs, offset),
    }));
    const arrived = events.map((event) => ({ event, funnelId: funnel.id, arrivalMs: clock.ms, client }));
    const records: Uint8Array[] = [];
    await ingestEvents(
      { stream: { append: async (record) => void records.push(record) }, clock },
      { funnel, client: classifyClient(headers) },
      events,
    );
    for (const data of records) stream.push({ record: aRecord(data, stream.length + 1), arrived });
  }

  async function deliverSome({ back, count, poisonAt, crash }: Extract<Action, { do: 'deliver' }>): Promise<void> {
    const from = Math.max(0, stream.length - back - count);
    const batch: (Streamed | ReceivedRecord)[] = stream.slice(from, from + count);
    if (poisonAt !== null) batch.splice(poisonAt, 0, aRecord(`{"funnel_id":${poisonAt}`, 900_000 + poisonAt));
    await deliver(batch, crash);
  }

  /** Delivers a batch, twice if `crash` is set. Until the last delivery ends, reads may or may not count the batch. */
  async function deliver(batch: readonly (Streamed | ReceivedRecord)[], crash: Crash | null): Promise<void> {
    if (batch.length === 0) return;
    const delivered = batch.filter((entry) => 'arrived' in entry);
    const records = batch.map((entry) => ('arrived' in entry ? entry.record : entry));
    for (const entry of delivered) counted.add(entry);
    const after = stateOf(countedEvents());
    states = [...states, after];
    if (crash !== null) {
      const { fresh } = interceptEffects(
        stores.ports,
        crashAtEffect(crash, () => look()),
      );
      await consumeRecords({ fresh, deadLetters }, records);
      await look();
    }
    const outcomes = await consumeRecords({ fresh: stores.ports.fresh, deadLetters }, records);
    expectApplied(
      outcomes,
      delivered.map(({ record }) => record),
    );
    states = [after];
  }
  return world;
}

const raise = (): never => {
  throw new Error('There is no such funnel.');
};

function expectApplied(outcomes: readonly RecordOutcome[], good: readonly ReceivedRecord[]): void {
  const numbers = new Set(good.map(({ sequenceNumber }) => sequenceNumber));
  for (const { sequenceNumber, outcome } of outcomes) {
    const due = numbers.has(sequenceNumber) ? 'applied' : 'dead_lettered';
    if (outcome !== due) throw new Error(`The record ${sequenceNumber} is ${outcome} instead of ${due}.`);
  }
}
