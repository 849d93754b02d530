import type { ReceivedRecord } from './stream-records.ts';

/**
 * Key prefix of dead letters, the stream records that could not be read. Grants are limited to this prefix, and
 * stored keys begin with it, so it must not change.
 */
export const DEAD_LETTER_PREFIX = 'set-aside/events/';

/** The JSON object of a dead letter, with the record's bytes as base64. */
export const encodeDeadLetter = ({ shard, sequenceNumber, data }: ReceivedRecord, reason: string): string =>
  JSON.stringify({ reason, shard, sequenceNumber, data: Buffer.from(data).toString('base64') });
