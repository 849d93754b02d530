import type { Context } from 'aws-lambda';
import { createDynamoErasureCheckpoint } from '../../../shared/analytics/erasure/aws/dynamo-erasure-checkpoint.ts';
import { createRewriteLeasePorts } from '../../../shared/analytics/erasure/aws/rewrite-lease.ts';
import { type EraseLateEventsPorts, eraseLateEvents } from '../../../shared/analytics/erasure/erase-late-events.ts';
import { createDynamoTombstoneReader } from '../../../shared/analytics/facts/aws/dynamo-tombstone-reader.ts';
import { createDynamoTombstoneRepository } from '../../../shared/analytics/facts/aws/dynamo-tombstones.ts';
import { createDuckDbRawEventStore } from '../../../shared/analytics/raw-events/duckdb/duckdb-raw-events.ts';
import { createS3ObjectStore } from '../../../shared/platform/aws/s3-object-store.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createWithLease } from '../../../shared/platform/lease.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/**
 * Fails if the erasure fails or takes too long, so that the function's alarm fires. The next run retries. If another
 * process holds the lease for too long, the run erases nothing. It then fails only if no complete run began in the last
 * 36 hours.
 */
export const createHandler =
  (ports: EraseLateEventsPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const done = await eraseLateEvents(ports, () => context.getRemainingTimeInMillis());
    if (done.outcome === 'deferred')
      ports.log.info(
        'Late events were not erased, because another process held the lease of the raw events. The next run retries.',
      );
    else if (done.files > 0) ports.log.info('Late events were erased.', { files: done.files, events: done.events });
  };

/** Longer than `LEASE_TTL_MS`, so that the lease of a crashed process expires during the wait. */
const LEASE_WAIT_MS = 90_000;

export const handler = createHandler({
  tombstones: { ...createDynamoTombstoneRepository(), ...createDynamoTombstoneReader() },
  raw: createDuckDbRawEventStore(createS3ObjectStore('lakeBucket')),
  withLease: createWithLease(createRewriteLeasePorts(), {
    waitMs: LEASE_WAIT_MS,
    owner: 'The function background/erase-late',
  }),
  checkpoint: createDynamoErasureCheckpoint(),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/erase-late' }),
});
