import type { Context } from 'aws-lambda';
import { dynamoErasedSessions } from '../../../shared/analytics/facts/dynamo-erased-sessions.ts';
import { dynamoErasures } from '../../../shared/analytics/facts/dynamo-erasures.ts';
import { duckdbRawEvents } from '../../../shared/analytics/upkeep/duckdb-raw-events.ts';
import { dynamoLateRuns } from '../../../shared/analytics/upkeep/dynamo-turns.ts';
import { type EraseLatePorts, eraseLate } from '../../../shared/analytics/upkeep/erase-late.ts';
import { s3StoredObjects } from '../../../shared/analytics/upkeep/s3-stored-objects.ts';
import { systemTurns } from '../../../shared/analytics/upkeep/system-turns.ts';
import { inTurnBy } from '../../../shared/analytics/upkeep/turns.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails when it could not see to everything, so that the scheduler's alarm sees it; the next run tries again. */
export const createHandler =
  (ports: EraseLatePorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const done = await eraseLate(ports, () => context.getRemainingTimeInMillis());
    if (done.outcome === 'later') ports.log.info('others were erasing: late events are seen to by the next run');
    else if (done.files > 0) ports.log.info('erased late events', { files: done.files, events: done.events });
  };

/** Longer than the dead are waited for. */
const TURN_WAIT_MS = 90_000;

export const handler = createHandler({
  erasures: { ...dynamoErasures(), ...dynamoErasedSessions() },
  raw: duckdbRawEvents(s3StoredObjects('lakeBucket')),
  inTurn: inTurnBy(systemTurns(), { waitMs: TURN_WAIT_MS, owner: 'The function background/erase-late' }),
  runs: dynamoLateRuns(),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/erase-late' }),
});
