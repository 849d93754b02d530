/** Remembers the last complete run. */
export type ErasureCheckpoint = {
  /** When the last complete run began, milliseconds since the epoch; undefined before the first one. */
  load(): Promise<number | undefined>;
  save(beganMs: number): Promise<void>;
};
