import type { TrainingCase } from '../../../shared/training/training-case.ts';

/** A case as operators see it. */
type StoredCase = TrainingCase & { createdAt: string };

export type CaseSummary = Pick<StoredCase, 'id' | 'name' | 'difficulty' | 'archivedAt' | 'createdAt'>;

/** `already`: it was in this state, and nothing was written; `unknown`: the organization has no such case. */
export type ArchiveOutcome = 'done' | 'already' | 'unknown';

export type CaseAdminRepository = {
  /** Includes archived cases. */
  list(orgId: string): AsyncIterable<CaseSummary>;
  find(orgId: string, caseId: string): Promise<StoredCase | undefined>;
  /** No session can be started with the case afterwards; calls keep their own copy. One conditional write. */
  archive(orgId: string, caseId: string, atMs: number): Promise<ArchiveOutcome>;
  restore(orgId: string, caseId: string): Promise<ArchiveOutcome>;
};
