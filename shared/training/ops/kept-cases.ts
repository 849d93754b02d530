import type { TrainingCase } from '../training-case.ts';

/** A case as those who look after it see it. */
export type KeptCase = TrainingCase & { createdAt: string };

export type CaseSummary = Pick<KeptCase, 'id' | 'name' | 'difficulty' | 'archivedAt' | 'createdAt'>;

/** `already`: it was so before, and nothing was written; `unknown`: the organization has no such case. */
export type Moved = 'done' | 'already' | 'unknown';

export type KeptCases = {
  /** Archived ones too. */
  all(orgId: string): AsyncIterable<CaseSummary>;
  find(orgId: string, caseId: string): Promise<KeptCase | undefined>;
  /** From then on no session can be opened with it; calls keep their own copy. One conditional write. */
  archive(orgId: string, caseId: string, atMs: number): Promise<Moved>;
  restore(orgId: string, caseId: string): Promise<Moved>;
};
