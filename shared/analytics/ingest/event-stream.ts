import { randomUUID } from 'node:crypto';

/** A record holds at most so many bytes: Kinesis takes 1 MiB with its key, and readers further on want less. */
const RECORD_BYTES_MAX = 900_000;

/** The stream on which accepted events wait for whoever counts or keeps them. */
export type EventStreamWriter = {
  /**
   * Durable once it resolves.
   *
   * @param requestId of the request that sends it; the consumer logs it
   * @throws when the stream has not taken the record within a bounded number of retries
   */
  append(record: Uint8Array, requestId?: string): Promise<void>;
};

/**
 * A random partition key, so that no caller chooses the shard and no busy funnel makes a hot one; the merge of facts needs no
 * order. It ends with the id of the request, for the consumer's log.
 */
export const createPartitionKey = (requestId = ''): string => `${randomUUID()} ${requestId}`;

/** The id of the request that sent a record; undefined for a record that an operator put back. */
export const requestIdFromPartitionKey = (partitionKey: string): string | undefined =>
  partitionKey.split(' ')[1] || undefined;

/** Lines as few records, each of whole lines. @param lines each far below the limit */
export function splitIntoRecords(lines: readonly string[], bytesMax = RECORD_BYTES_MAX): Uint8Array[] {
  const record = Buffer.from(lines.join(''));
  if (record.length === 0) return [];
  if (record.length <= bytesMax || lines.length === 1) return [record];
  const half = Math.ceil(lines.length / 2);
  return [...splitIntoRecords(lines.slice(0, half), bytesMax), ...splitIntoRecords(lines.slice(half), bytesMax)];
}
