/** Stores when the last complete run began. */
export type ErasureCheckpoint = {
  /** When the last complete run began, milliseconds since the epoch; undefined before the first one. */
  load(): Promise<number | undefined>;
  save(beganMs: number): Promise<void>;
};
