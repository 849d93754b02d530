/** One record of the event stream. */
export type StreamRecord = { shard: string; sequenceNumber: string; data: Uint8Array };

/** Where records that nobody can read wait for an operator, so that they block nothing and nothing is lost. */
export type SetAside = {
  /** Durable once it resolves; the same record again replaces itself. @param reason a sentence without input values */
  put(record: StreamRecord, reason: string): Promise<void>;
};
