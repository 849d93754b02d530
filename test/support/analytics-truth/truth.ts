import { expect } from 'vitest';
import type { SnapshotPorts } from '../../../shared/analytics/reads/snapshot.ts';
import { askedAt, type Question } from './histories.ts';
import { type Asked, counted, oracleOverview } from './oracle-reads.ts';
import type { OracleSession } from './oracle-sessions.ts';
import { readAll } from './product.ts';
import type { World } from './world.ts';

/** All reads as the oracle answers them. */
export function oracleAll(asked: Asked, sessions: readonly OracleSession[], nowMs: number) {
  const own = counted(asked, sessions, nowMs);
  return { overview: oracleOverview(own) };
}

/** The service says of the funnel what one of the states says that are possible now. */
export async function expectTruth(world: World, reader: SnapshotPorts, funnelId: string, question: Question) {
  const nowMs = world.clock.now();
  const asked = askedAt(question, nowMs);
  const possible = world.sessionsOf(funnelId).map((sessions) => oracleAll(asked, sessions, nowMs));
  const read = await readAll(reader, funnelId, asked, nowMs);
  expectOneOf(read, possible);
}

/** Equal to one of them; a failure tells the difference to the first. */
export function expectOneOf<T>(value: T, possible: readonly T[]): void {
  const text = JSON.stringify(value);
  if (!possible.some((one) => JSON.stringify(one) === text)) expect(value).toEqual(possible[0]);
}
