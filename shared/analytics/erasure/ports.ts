export type ErasureCheckpoint = {
  /**
   * Returns when the last run of `eraseLateEvents` that was completed began, in milliseconds since the epoch. Returns
   * undefined if no run was completed.
   */
  load(): Promise<number | undefined>;
  save(beganMs: number): Promise<void>;
};
