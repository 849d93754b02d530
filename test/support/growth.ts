const ROUNDS = 7;

/** Linear growth stays below this ratio even on a busy machine. Quadratic growth exceeds this ratio. */
export const LINEAR_GROWTH_MAX = 9;

/**
 * Returns how many times longer `work` takes for an input of four times the size: about 4 in linear time, and 16 in
 * quadratic time. Uses the shortest of several rounds, because other load prolongs some rounds.
 *
 * @param make creates an input of about this many characters
 */
export function growthOf(make: (size: number) => string, work: (text: string) => unknown, size: number): number {
  const shortest = [size, 4 * size].map((characters) => ({ text: make(characters), ms: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const input of shortest) {
      const startMs = performance.now();
      work(input.text);
      input.ms = Math.min(input.ms, performance.now() - startMs);
    }
  }
  const [small, large] = shortest;
  return (large?.ms ?? 0) / (small?.ms ?? 0);
}
