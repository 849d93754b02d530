/** One record of the event stream. */
export type StreamRecord = { shard: string; sequenceNumber: string; data: Uint8Array };

/** Key prefix of dead letters; grants are limited to it. */
export const DEAD_LETTER_PREFIX = 'set-aside/events/';

/** Keeps unreadable stream records for an operator, so that they block nothing and nothing is lost. ADR 0013. */
export type DeadLetterStore = {
  /** Durable once it resolves. Storing the same record again replaces it. @param reason a sentence without input values */
  put(record: StreamRecord, reason: string): Promise<void>;
};

/** The JSON object of a dead letter, with the record's bytes as base64. */
export const encodeDeadLetter = ({ shard, sequenceNumber, data }: StreamRecord, reason: string): string =>
  JSON.stringify({ reason, shard, sequenceNumber, data: Buffer.from(data).toString('base64') });
