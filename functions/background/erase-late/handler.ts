import type { Context } from 'aws-lambda';
import { type EraseLateEventsPorts, eraseLateEvents } from '../../../shared/analytics/erasure/erase-late-events.ts';
import { createDynamoTombstoneReader } from '../../../shared/analytics/facts/aws/dynamo-tombstone-reader.ts';
import { createDynamoTombstoneRepository } from '../../../shared/analytics/facts/aws/dynamo-tombstones.ts';
import { createDuckDbRawEventStore } from '../../../shared/analytics/raw-events/duckdb/duckdb-raw-events.ts';
import { createDynamoErasureCheckpoint } from '../../../shared/platform/aws/dynamo-lease.ts';
import { createS3ObjectStore } from '../../../shared/platform/aws/s3-object-store.ts';
import { createSystemLeasePorts } from '../../../shared/platform/aws/system-lease-ports.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createWithLease } from '../../../shared/platform/lease.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails when it could not see to everything, so that the scheduler's alarm sees it; the next run tries again. */
export const createHandler =
  (ports: EraseLateEventsPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const done = await eraseLateEvents(ports, () => context.getRemainingTimeInMillis());
    if (done.outcome === 'later') ports.log.info('others were erasing: late events are seen to by the next run');
    else if (done.files > 0) ports.log.info('erased late events', { files: done.files, events: done.events });
  };

/** Longer than the dead are waited for. */
const TURN_WAIT_MS = 90_000;

export const handler = createHandler({
  tombstones: { ...createDynamoTombstoneRepository(), ...createDynamoTombstoneReader() },
  raw: createDuckDbRawEventStore(createS3ObjectStore('lakeBucket')),
  withLease: createWithLease(createSystemLeasePorts(), {
    waitMs: TURN_WAIT_MS,
    owner: 'The function background/erase-late',
  }),
  checkpoint: createDynamoErasureCheckpoint(),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/erase-late' }),
});
