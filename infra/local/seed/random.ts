/** Creates a repeatable generator of numbers in [0, 1): mulberry32, by Tommy Ettinger, public domain. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a function that maps a random number in [0, 1) to an option. Weights are relative probabilities. */
export function createWeightedPicker<T>(
  options: readonly (readonly [weight: number, option: T])[],
): (random: number) => T {
  const total = options.reduce((sum, [weight]) => sum + weight, 0);
  return (random) => {
    let remaining = random * total;
    for (const [weight, option] of options) {
      remaining -= weight;
      if (remaining < 0) return option;
    }
    throw new Error('A weighted picker needs an option with a positive weight.');
  };
}
