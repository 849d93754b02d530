import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../../shared/analytics/facts/fact-files.ts';

/** A fact file is missing or damaged. It can be restored from old versions, which the bucket keeps for 35 days. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** The source of a fact: raw events, a file that the rebuild replaces, or a file that stays listed. */
export type Side = 'raw' | 'replaced' | 'kept';

export type StagedFact = { side: Side; fact: Fact };

/** Stores many facts of one funnel outside of memory, and returns them by session. */
export type FactStaging = {
  add(side: Side, facts: readonly Fact[]): Promise<void>;
  /** @throws UnreadableFileError if the file is missing or damaged */
  addFile(side: Side, file: FactFile): Promise<void>;
  /** Yields all added facts, grouped by session, in the order of session keys. */
  sessions(): AsyncIterable<readonly StagedFact[]>;
};

/** Runs `work` with an empty staging area, which is deleted afterwards. */
export type WithStaging = <T>(work: (staging: FactStaging) => Promise<T>) => Promise<T>;
