import { PutRecordCommand } from '@aws-sdk/client-kinesis';
import { kinesisClient } from '../../../platform/aws/kinesis-client.ts';
import { requireSetting } from '../../../platform/settings.ts';
import type { EventStreamWriter } from '../ports.ts';
import { createPartitionKey } from '../stream-records.ts';

/**
 * This timeout is shorter than that of the operation, so that the client gets a response even if Kinesis does not
 * respond.
 */
const APPEND_MS_MAX = 7_000;

export function createKinesisEventStreamWriter(): EventStreamWriter {
  return {
    append: async (record, requestId) => {
      const put = new PutRecordCommand({
        StreamName: requireSetting('eventStream'),
        PartitionKey: createPartitionKey(requestId),
        Data: record,
      });
      await kinesisClient().send(put, { abortSignal: AbortSignal.timeout(APPEND_MS_MAX) });
    },
  };
}
