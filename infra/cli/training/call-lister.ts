import type { CallStatus, TrainingCall } from '../../../shared/training/call.ts';

/** What tells a call from others. */
export type CallSummary = Pick<
  TrainingCall,
  'id' | 'userId' | 'status' | 'createdAt' | 'durationSeconds' | 'caseId' | 'personaId' | 'failureReason'
> & {
  caseName: string;
  total: number | null;
  /** The score comes from rules alone: no language model judged the call. */
  isProvisional: boolean;
};

export type CallLister = {
  /** @param asked.after goes on after this call */
  listNewestFirst(
    orgId: string,
    asked: { after?: string | undefined; status?: CallStatus | undefined; userId?: string | undefined },
  ): AsyncIterable<CallSummary>;
};
