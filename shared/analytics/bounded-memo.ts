/**
 * Remembers what was computed for a key, the least recently used making room. Concurrent callers share one
 * computation; a failed one is forgotten.
 *
 * @param weightMax what the entries may weigh together @param weigh of an entry; 1 by default
 */
export function boundedMemo<T>(weightMax: number, weigh: (value: T) => number = () => 1) {
  const entries = new Map<string, { value: Promise<T>; weight: number }>();
  let weight = 0;
  const forget = (key: string) => {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  const settle = (key: string, value: Promise<T>, computed: T) => {
    const entry = entries.get(key);
    if (entry?.value !== value) return;
    entry.weight = weigh(computed);
    weight += entry.weight;
    for (const oldest of entries.keys()) {
      if (weight <= weightMax) return;
      forget(oldest);
    }
  };
  return (key: string, compute: () => Promise<T>): Promise<T> => {
    const known = entries.get(key);
    if (known !== undefined) {
      entries.delete(key);
      entries.set(key, known);
      return known.value;
    }
    const value = compute();
    entries.set(key, { value, weight: 0 });
    value.then(
      (computed) => settle(key, value, computed),
      () => forget(key),
    );
    return value;
  };
}
