const ROUNDS = 7;

/** Above what linear work grows to on a loaded machine, below what quadratic work grows to. */
export const LINEAR_GROWTH_MAX = 9;

/**
 * How many times longer `work` takes for an input of four times the size: about 4 in linear time, 16 in quadratic time.
 * The shortest of several rounds of each size, in turns, so that load of the machine does not count.
 *
 * @param make makes an input of about so many characters
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
