/** Uses `localStorage`, which throws where it is blocked or full. @returns undefined then */
export function attempt<T>(use: (storage: globalThis.Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
