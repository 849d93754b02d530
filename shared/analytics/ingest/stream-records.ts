import { randomUUID } from 'node:crypto';

export type ReceivedRecord = { shard: string; sequenceNumber: string; data: Uint8Array };

/** Maximum bytes of a record. Kinesis accepts 1 MiB including the partition key, and Firehose less. */
const RECORD_BYTES_MAX = 900_000;

/**
 * A partition key that ends with the request id. It begins with a random UUID, so that a client cannot choose the shard
 * and a busy funnel does not make one shard hot. With random keys, the stream does not keep the order of records. This
 * is harmless, because facts can be merged in any order.
 */
export const createPartitionKey = (requestId = ''): string => `${randomUUID()} ${requestId}`;

/** The id of the request that sent a record; undefined for a redriven record. */
export const requestIdFromPartitionKey = (partitionKey: string): string | undefined =>
  partitionKey.split(' ')[1] || undefined;

/**
 * Halves the list of lines repeatedly, until each part fits into a record. Never splits a line.
 *
 * @param lines each much shorter than the limit
 */
export function splitIntoRecords(lines: readonly string[], bytesMax = RECORD_BYTES_MAX): Uint8Array[] {
  const record = Buffer.from(lines.join(''));
  if (record.length === 0) return [];
  if (record.length <= bytesMax || lines.length === 1) return [record];
  const half = Math.ceil(lines.length / 2);
  return [...splitIntoRecords(lines.slice(0, half), bytesMax), ...splitIntoRecords(lines.slice(half), bytesMax)];
}
