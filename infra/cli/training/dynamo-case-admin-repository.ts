import * as z from 'zod/mini';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { TrainingCase } from '../../../shared/training/training-case.ts';
import { createRecordTable } from '../environment/record-table.ts';

const StoredCase = z.extend(TrainingCase, { createdAt: z.string() });
const CaseSummary = z.pick(StoredCase, { id: true, name: true, difficulty: true, archivedAt: true, createdAt: true });

/** `already`: the case was in this state before, and nothing was written. `unknown`: there is no such case. */
export type ArchiveOutcome = 'done' | 'already' | 'unknown';

export function createDynamoCaseAdminRepository() {
  const { read, list, update } = createRecordTable('trainingTable');
  const find = (orgId: string, caseId: string) => read(StoredCase, trainingKey.trainingCase(orgId, caseId));
  return {
    /** Lists all cases, including archived ones. */
    list: (orgId: string) =>
      list(CaseSummary, trainingKey.trainingCase(orgId, ''), { only: Object.keys(CaseSummary.shape) }),
    find,
    /**
     * If `archivedAt` is null, restores the case. Otherwise, archives it, so that no training session can be opened
     * with it. Calls keep their own copy of the case.
     */
    setArchivedAt: async (orgId: string, caseId: string, archivedAt: string | null): Promise<ArchiveOutcome> => {
      const isOther = {
        expression: 'attribute_type(#archivedAt, :from)',
        values: { ':from': archivedAt === null ? 'S' : 'NULL' },
      };
      if (await update(trainingKey.trainingCase(orgId, caseId), { archivedAt }, isOther)) return 'done';
      return (await find(orgId, caseId)) === undefined ? 'unknown' : 'already';
    },
  };
}
