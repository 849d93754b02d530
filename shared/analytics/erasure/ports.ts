export type ErasureCheckpoint = {
  /** When the last complete run began, milliseconds since the epoch; undefined if no run was complete. */
  load(): Promise<number | undefined>;
  save(beganMs: number): Promise<void>;
};
