/**
 * Remembers what `compute` made of a key, for the `entriesMax` latest new keys. For pure functions that cost more
 * than a look-up and meet the same keys again and again.
 */
export function memoize<T>(entriesMax: number, compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = compute(key);
    const oldest = known.keys().next();
    if (known.size >= entriesMax && !oldest.done) known.delete(oldest.value);
    known.set(key, made);
    return made;
  };
}
