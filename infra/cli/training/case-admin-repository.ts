import type { TrainingCase } from '../../../shared/training/training-case.ts';

/** A case as those who look after it see it. */
type StoredCase = TrainingCase & { createdAt: string };

export type CaseSummary = Pick<StoredCase, 'id' | 'name' | 'difficulty' | 'archivedAt' | 'createdAt'>;

/** `already`: it was so before, and nothing was written; `unknown`: the organization has no such case. */
export type ArchiveOutcome = 'done' | 'already' | 'unknown';

export type CaseAdminRepository = {
  /** Archived ones too. */
  list(orgId: string): AsyncIterable<CaseSummary>;
  find(orgId: string, caseId: string): Promise<StoredCase | undefined>;
  /** From then on no session can be opened with it; calls keep their own copy. One conditional write. */
  archive(orgId: string, caseId: string, atMs: number): Promise<ArchiveOutcome>;
  restore(orgId: string, caseId: string): Promise<ArchiveOutcome>;
};
