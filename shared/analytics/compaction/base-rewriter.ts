import type { FactFile } from '../facts/fact-files.ts';

/** Session keys, both inclusive. */
export type KeyRange = { from: bigint; to: bigint };

/** Every key there can be. */
export const FULL_KEY_RANGE: KeyRange = { from: -(2n ** 63n), to: 2n ** 63n - 1n };

export type RewriteRequest = {
  funnelId: string;
  range: KeyRange;
  /** The one base file whose sessions lie in the range. */
  base: FactFile | undefined;
  /** Files that may hold facts of any sessions. */
  level1Files: readonly FactFile[];
  completeUntilMs: number;
};

export type BaseRewriter = {
  /**
   * Merges everything known of a range's sessions, and stores it in files that share no session. Its memory is bounded
   * however many there are.
   *
   * @returns undefined when nothing amends the range: nothing is written
   * @throws when a file is missing or damaged
   */
  rewrite(wanted: RewriteRequest): Promise<FactFile[] | undefined>;
};
