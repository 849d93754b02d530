import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../../shared/analytics/facts/fact-files.ts';

/**
 * Where a fact comes from: raw events, a file that the rebuilt ones replace, or one that stays listed.
 */
export type Side = 'raw' | 'replaced' | 'kept';

export type StagedFact = { side: Side; fact: Fact };

/** A place for many facts of one funnel, outside of memory, that gives them back by session. */
export type FactStaging = {
  add(side: Side, facts: readonly Fact[]): Promise<void>;
  /** @throws when the file is missing or damaged */
  addFile(side: Side, file: FactFile): Promise<void>;
  /** Everything that was added, a session's facts side by side, the sessions in the order of their keys. */
  sessions(): AsyncIterable<readonly StagedFact[]>;
};

/** Runs `work` with a place that is empty, and is gone afterwards. */
export type WithStaging = <T>(work: (staging: FactStaging) => Promise<T>) => Promise<T>;
