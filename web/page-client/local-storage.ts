/** Uses `localStorage`, which throws where it is blocked or full. @returns undefined if it throws */
export function withLocalStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
