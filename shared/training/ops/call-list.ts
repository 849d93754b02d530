import type { CallStatus, TrainingCall } from '../call.ts';

/** What tells a call from others. */
export type CallSummary = Pick<
  TrainingCall,
  'id' | 'userId' | 'status' | 'createdAt' | 'durationSeconds' | 'caseId' | 'personaId' | 'failureReason'
> & { caseName: string; total: number | null };

export type CallList = {
  /** @param asked.after goes on after this call */
  newestFirst(
    orgId: string,
    asked: { after?: string | undefined; status?: CallStatus | undefined; userId?: string | undefined },
  ): AsyncIterable<CallSummary>;
};
