import type { StreamRecord } from './event-stream.ts';

/** Writes to the event stream, which feeds the stream consumer and the raw event files. */
export type EventStreamWriter = {
  /**
   * Durable once it resolves.
   *
   * @param requestId of the HTTP request; the consumer logs it
   * @throws when the stream did not accept the record within a bounded number of retries
   */
  append(record: Uint8Array, requestId?: string): Promise<void>;
};

/** Keeps unreadable stream records for an operator, so that they block nothing and nothing is lost. ADR 0013. */
export type DeadLetterStore = {
  /** Durable once it resolves. Storing the same record again replaces it. @param reason a sentence without input values */
  put(record: StreamRecord, reason: string): Promise<void>;
};
