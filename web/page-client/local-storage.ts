/** Uses `localStorage`, which throws where it is blocked or full. @returns undefined then */
export function withLocalStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
