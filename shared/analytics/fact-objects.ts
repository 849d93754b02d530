/** Where fact files are kept for good: written once under a name that is never used again. */
export type FactObjects = {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** @throws when there is no such object */
  get(key: string): Promise<Uint8Array>;
};
