import type { CallStatus, TrainingCall } from '../../../shared/training/call.ts';

/** A call in a list. */
export type CallSummary = Pick<
  TrainingCall,
  'id' | 'userId' | 'status' | 'createdAt' | 'durationSeconds' | 'caseId' | 'personaId' | 'failureReason'
> & {
  caseName: string;
  total: number | null;
  /** The score comes from rules alone: no language model evaluated the call. */
  isProvisional: boolean;
};

export type CallLister = {
  /** @param asked.after continues after this call */
  listNewestFirst(
    orgId: string,
    asked: { after?: string | undefined; status?: CallStatus | undefined; userId?: string | undefined },
  ): AsyncIterable<CallSummary>;
};
