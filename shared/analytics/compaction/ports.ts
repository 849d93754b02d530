import type { FactFile } from '../facts/fact-files.ts';

/** Both bounds are inclusive. */
export type KeyRange = { from: bigint; to: bigint };

export const FULL_KEY_RANGE: KeyRange = { from: -(2n ** 63n), to: 2n ** 63n - 1n };

export type RewriteRequest = {
  funnelId: string;
  range: KeyRange;
  /** The only base file with sessions in the range; undefined when the funnel has no base yet. */
  base: FactFile | undefined;
  /** Files that may hold facts of any session, inside or outside of the range. */
  level1Files: readonly FactFile[];
  completeUntilMs: number;
};

export type BaseRewriter = {
  /**
   * Merges all facts of a range and writes them to files. Each session is in only one file. Uses bounded memory.
   *
   * @returns undefined, without writing a file, when level 1 has no facts in the range
   * @throws Error, for example when a file is missing or damaged
   */
  rewrite(request: RewriteRequest): Promise<FactFile[] | undefined>;
};
