import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { SnapshotPorts } from '../../../../shared/analytics/queries/snapshot.ts';
import { askedAt, type Question } from './arbitraries.ts';
import { rewritten } from './oracle-calendar.ts';
import {
  type Asked,
  counted,
  oracleAcquisition,
  oracleBounds,
  oracleOverview,
  oracleTimeseries,
} from './oracle-reads.ts';
import type { OracleSession } from './oracle-sessions.ts';
import type { World } from './simulation.ts';
import { readAll } from './system-under-test.ts';

export type Answer = Awaited<ReturnType<typeof readAll>>;

type OracleAnswer = ReturnType<typeof answerOf>;

/** The oracle's responses, memoized because readers repeat the same queries while no event arrives. */
const answered = new WeakMap<readonly OracleSession[], Map<string, OracleAnswer>>();

/** Returns the oracle's responses to the three reads. */
export function oracleAll(query: Asked, sessions: readonly OracleSession[], nowMs: number): OracleAnswer {
  const known = answered.get(sessions) ?? new Map<string, OracleAnswer>();
  answered.set(sessions, known);
  const key = JSON.stringify([query, nowMs]);
  const answer = known.get(key) ?? answerOf(query, sessions, nowMs);
  known.set(key, answer);
  return answer;
}

function answerOf(query: Asked, sessions: readonly OracleSession[], nowMs: number) {
  const own = counted(query, sessions, nowMs);
  const { timezone: zone, granularity = 'day' } = query;
  return {
    overview: oracleOverview(own),
    timeseries: oracleTimeseries(own, oracleBounds(query, sessions, nowMs), { zone, granularity }),
    acquisition: oracleAcquisition(own, zone),
  };
}

/** Normalizes a response: instants get one spelling, and the hours of the week are sorted. */
function comparable({ overview, timeseries, acquisition }: Answer) {
  const points = timeseries.points.map((point) => ({ ...point, bucket: rewritten(point.bucket) }));
  const hours = acquisition.hours.toSorted((a, b) => a.weekday - b.weekday || a.hour - b.hour);
  return {
    overview,
    timeseries: { ...timeseries, since: rewritten(timeseries.since), until: rewritten(timeseries.until), points },
    acquisition: { ...acquisition, hours },
  };
}

/** Expects each response of the service to be correct for one of the funnel's possible states. */
export async function expectMatchesOracle(world: World, reader: SnapshotPorts, funnelId: string, question: Question) {
  const nowMs = world.clock.now();
  const query = askedAt(question, nowMs);
  const possible = (await world.sessionsOf(funnelId)).map((sessions) => oracleAll(query, sessions, nowMs));
  const answer = await readAll(reader, funnelId, query, nowMs);
  expectInvariants(answer);
  expectOneOf(answer, possible);
}

/** Expects the response of each read to equal one of the possible responses. */
export function expectOneOf(answer: Answer, possible: readonly OracleAnswer[]): void {
  const said = comparable(answer);
  for (const read of ['overview', 'timeseries', 'acquisition'] as const)
    if (!possible.some((one) => isDeepStrictEqual(one[read], said[read])))
      expect(said[read]).toEqual(possible[0]?.[read]);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Checks invariants that the responses have for any events (ADR 0001). */
function expectInvariants({ overview: { overview, devices }, timeseries: { points }, acquisition }: Answer) {
  const totals = [overview.totalStarts, overview.totalCompletions];
  const sessions = sum(devices.map(({ total }) => total));
  expect([sum(devices.map(({ starts }) => starts)), sum(devices.map(({ completions }) => completions))]).toEqual(
    totals,
  );
  expect([sum(points.map(({ starts }) => starts)), sum(points.map(({ completions }) => completions))]).toEqual(totals);
  expect([acquisition.hours.length, sum(acquisition.hours.map((cell) => cell.sessions))]).toEqual([168, sessions]);
  for (const list of [acquisition.browsers, acquisition.oses])
    expect(sum(list.map(({ total }) => total))).toBe(sessions);
  const ordered = [...devices.map(({ total, starts, completions }) => [completions, starts, total])];
  for (const counts of ordered) expect(counts).toEqual(counts.toSorted((a, b) => a - b));
}
