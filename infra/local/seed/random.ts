/** A repeatable stream of numbers in [0, 1): mulberry32, by Tommy Ettinger, in the public domain. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks from options as often as their weights say. @returns a function of a number in [0, 1) */
export function createWeightedPicker<T>(
  options: readonly (readonly [weight: number, option: T])[],
): (chance: number) => T {
  const total = options.reduce((sum, [weight]) => sum + weight, 0);
  return (chance) => {
    let left = chance * total;
    for (const [weight, option] of options) {
      left -= weight;
      if (left < 0) return option;
    }
    throw new Error('There is nothing to pick from.');
  };
}
