/** One record of the event stream. */
export type StreamRecord = { shard: string; sequenceNumber: string; data: Uint8Array };

/** What the keys of set-aside records begin with; the right to write them ends there. */
export const DEAD_LETTER_PREFIX = 'set-aside/events/';

/** Where records that nobody can read wait for an operator, so that they block nothing and nothing is lost. */
export type DeadLetterStore = {
  /** Durable once it resolves; the same record again replaces itself. @param reason a sentence without input values */
  put(record: StreamRecord, reason: string): Promise<void>;
};

/** The object of a record that waits: whoever writes or replaces one writes this, with the bytes as base64. */
export const encodeDeadLetter = ({ shard, sequenceNumber, data }: StreamRecord, reason: string): string =>
  JSON.stringify({ reason, shard, sequenceNumber, data: Buffer.from(data).toString('base64') });
