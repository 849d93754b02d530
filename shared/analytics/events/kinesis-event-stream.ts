import { PutRecordCommand } from '@aws-sdk/client-kinesis';
import { config } from '../../platform/config.ts';
import { kinesis } from '../../platform/kinesis.ts';
import { type EventStream, partitionKeyOf } from './event-stream.ts';

/** Below the operation's own limit, so that a stream that hangs is still answered. */
const APPEND_MS_MAX = 7_000;

export function kinesisEventStream(): EventStream {
  return {
    append: async (record, requestId) => {
      const put = new PutRecordCommand({
        StreamName: config('eventStream'),
        PartitionKey: partitionKeyOf(requestId),
        Data: record,
      });
      await kinesis().send(put, { abortSignal: AbortSignal.timeout(APPEND_MS_MAX) });
    },
  };
}
