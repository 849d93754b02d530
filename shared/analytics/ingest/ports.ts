import type { ReceivedRecord } from './stream-records.ts';

/** Writes to the event stream, which feeds the stream consumer and the raw event files. */
export type EventStreamWriter = {
  /**
   * Adds a record to the stream. The record is durable when the promise resolves.
   *
   * @param requestId id of the HTTP request, which the consumer logs if it cannot read or store the record
   * @throws when the stream did not accept the record after a few retries or within a time limit
   */
  append(record: Uint8Array, requestId?: string): Promise<void>;
};

/** Stores unreadable stream records for an operator, so that they don't block the stream and are not lost. ADR 0013. */
export type DeadLetterStore = {
  /**
   * Stores a dead letter, which is durable when the promise resolves. Storing the same record again replaces its dead
   * letter.
   *
   * @param reason a sentence without input values
   */
  put(record: ReceivedRecord, reason: string): Promise<void>;
};
