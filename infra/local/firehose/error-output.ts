import type { DeadLetterStore } from '../../../shared/analytics/ingest/ports.ts';
import type { LakeObjectWriter } from '../../../shared/analytics/raw-events/ports.ts';
import { EVENT_ERRORS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { type Clock, systemClock } from '../../../shared/platform/clock.ts';

/**
 * Creates a store that writes invalid records in the format of Firehose's error output. Therefore, the same code can
 * read both outputs.
 */
export function createErrorOutput(objects: LakeObjectWriter, clock: Clock = systemClock): DeadLetterStore {
  return {
    put: async ({ shard, sequenceNumber, data }, reason) => {
      const atMs = clock.now();
      const date = new Date(atMs).toISOString().slice(0, 10);
      const line = {
        attemptsMade: 1,
        arrivalTimestamp: atMs,
        lastErrorCode: 'DataFormatConversion.InvalidData',
        lastErrorMessage: reason,
        attemptEndingTimestamp: atMs,
        rawData: Buffer.from(data).toString('base64'),
        sequenceNumber,
        shardId: shard,
      };
      const key = `${EVENT_ERRORS_PREFIX}format-conversion-failed/${date}/${shard}-${sequenceNumber}.json`;
      await objects.put(key, Buffer.from(`${JSON.stringify(line)}\n`), 'application/json');
    },
  };
}
