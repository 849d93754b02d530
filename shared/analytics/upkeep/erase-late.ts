import type { Clock } from '../../platform/clock.ts';
import type { Erasures } from '../facts/erasures.ts';
import type { RawEvents, Sessions } from './raw-events.ts';

export type EraseLatePorts = { erasures: Pick<Erasures, 'all'>; raw: RawEvents; clock: Clock };

/**
 * Twice the time between two runs, and an hour: what one run misses the next one finds. Not only since the erasure: the
 * clock of the operator's machine may be ahead.
 */
const WRITTEN_MS_MAX = 49 * 3_600_000;
/** The longest that one file takes. */
const FILE_MS_MAX = 60_000;

export type LateErasure = { files: number; events: number };

/**
 * Takes the events of erased sessions out of the raw files that were written since: what was on its way when they were
 * erased, came late, or was delivered again. Facts of such events never leave the fresh ones: see `Erasures`.
 *
 * @throws when a store fails or the time is over before the last file
 */
export async function eraseLate(
  { erasures, raw, clock }: EraseLatePorts,
  timeLeftMs: () => number,
): Promise<LateErasure> {
  const done: LateErasure = { files: 0, events: 0 };
  const erased = await erasures.all();
  if (erased.length === 0) return done;
  const sessions: Sessions = new Map(
    [...Map.groupBy(erased, ({ funnelId }) => funnelId)].map(([funnelId, of]) => [
      funnelId,
      of.map(({ sessionKey }) => sessionKey),
    ]),
  );
  for await (const { key, atMs } of raw.files()) {
    if (atMs < clock.now() - WRITTEN_MS_MAX) continue;
    if (timeLeftMs() < FILE_MS_MAX) throw new Error('The time was over before all new files of raw events were seen.');
    const events = (await raw.open(key, (file) => file.countOf(sessions))) ?? 0;
    if (events === 0) continue;
    await raw.removeSessions(key, sessions);
    done.files++;
    done.events += events;
  }
  return done;
}
