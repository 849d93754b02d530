import { randomUUID } from 'node:crypto';

/** One record of the event stream. */
export type StreamRecord = { shard: string; sequenceNumber: string; data: Uint8Array };

/** Bytes per record: Kinesis accepts 1 MiB including the key, and Firehose less. */
const RECORD_BYTES_MAX = 900_000;

/**
 * A random partition key that ends with the request id. Random, so that no caller chooses the shard and no busy funnel
 * creates a hot one; merging facts needs no order.
 */
export const createPartitionKey = (requestId = ''): string => `${randomUUID()} ${requestId}`;

/** The id of the request that sent a record; undefined for a redriven record. */
export const requestIdFromPartitionKey = (partitionKey: string): string | undefined =>
  partitionKey.split(' ')[1] || undefined;

/** Halves the lines until each part fits into a record. Never splits a line. @param lines each far below the limit */
export function splitIntoRecords(lines: readonly string[], bytesMax = RECORD_BYTES_MAX): Uint8Array[] {
  const record = Buffer.from(lines.join(''));
  if (record.length === 0) return [];
  if (record.length <= bytesMax || lines.length === 1) return [record];
  const half = Math.ceil(lines.length / 2);
  return [...splitIntoRecords(lines.slice(0, half), bytesMax), ...splitIntoRecords(lines.slice(half), bytesMax)];
}
