import type { StreamRecord } from './stream-records.ts';

/** Key prefix of dead letters, the events that could not be stored ("set aside"). Grants are limited to it. */
export const DEAD_LETTER_PREFIX = 'set-aside/events/';

/** The JSON object of a dead letter, with the record's bytes as base64. */
export const encodeDeadLetter = ({ shard, sequenceNumber, data }: StreamRecord, reason: string): string =>
  JSON.stringify({ reason, shard, sequenceNumber, data: Buffer.from(data).toString('base64') });
