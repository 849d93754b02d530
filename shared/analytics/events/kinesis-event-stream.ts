import { randomUUID } from 'node:crypto';
import { PutRecordCommand } from '@aws-sdk/client-kinesis';
import { config } from '../../platform/config.ts';
import { kinesis } from '../../platform/kinesis.ts';
import type { EventStream } from './event-stream.ts';

/** Below the operation's own limit, so that a stream that hangs is still answered. */
const APPEND_MS_MAX = 7_000;

/**
 * The partition key is the request's id, which the consumer logs; as good as random: merging needs no order, and no busy
 * funnel makes a hot shard.
 */
export function kinesisEventStream(): EventStream {
  return {
    append: async (record, requestId = randomUUID()) => {
      const put = new PutRecordCommand({
        StreamName: config('eventStream'),
        PartitionKey: requestId,
        Data: record,
      });
      await kinesis().send(put, { abortSignal: AbortSignal.timeout(APPEND_MS_MAX) });
    },
  };
}
