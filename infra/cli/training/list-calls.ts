import * as z from 'zod/mini';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { type CallStatus, Score, TrainingCall } from '../../../shared/training/call.ts';
import { parseStoredJson } from '../../../shared/training/stored-json.ts';
import { createRecordTable } from '../environment/record-table.ts';

const Members = z.pick(TrainingCall, {
  id: true,
  userId: true,
  status: true,
  createdAt: true,
  durationSeconds: true,
  caseId: true,
  personaId: true,
  failureReason: true,
});

const StoredAnalysis = z.object({ judgedBy: z.string() });

const StoredCall = z.pipe(
  z.extend(Members, {
    caseSnapshot: z.object({ name: z.string() }),
    score: z.nullish(z.string()),
    analysis: z.nullish(z.string()),
  }),
  z.transform(({ caseSnapshot, score, analysis, ...call }) => ({
    ...call,
    caseName: caseSnapshot.name,
    /** The score comes from rules alone: no language model evaluated the call. */
    isProvisional:
      typeof analysis === 'string' &&
      parseStoredJson(StoredAnalysis, analysis, 'The analysis of a call').judgedBy === 'rules',
    total: typeof score === 'string' ? parseStoredJson(Score, score, 'The score of a call').total : null,
  })),
);

/** A call in a list. */
export type CallSummary = z.infer<typeof StoredCall>;

const SUMMARY = [...Object.keys(Members.shape), 'score', 'analysis', 'caseSnapshot.name'];

/** Calls hold transcripts, and a page has a megabyte at most. */
const PAGE_SIZE = 100;

type CallFilter = { after?: string | undefined; status?: CallStatus | undefined; userId?: string | undefined };

/** An organization's calls, newest first: their ids are ordered by time. @param filter.after continues after this call */
export const listCalls = (orgId: string, { after, ...where }: CallFilter): AsyncIterable<CallSummary> =>
  createRecordTable('trainingTable').list(StoredCall, trainingKey.call({ orgId, callId: '' }), {
    order: 'newest first',
    only: SUMMARY,
    pageSize: PAGE_SIZE,
    after,
    where,
  });

const CALL_PREFIX = 'call#';
const Key = z.object({ sk: z.string().check(z.startsWith(CALL_PREFIX)) });

/** The ids of a user's calls, regardless of what else their records hold. */
export async function listCallIdsOfUser(orgId: string, userId: string): Promise<string[]> {
  const listing = { only: ['sk'], where: { userId }, pageSize: PAGE_SIZE };
  const keys = createRecordTable('trainingTable').list(Key, trainingKey.call({ orgId, callId: '' }), listing);
  return Array.fromAsync(keys, ({ sk }) => sk.slice(CALL_PREFIX.length));
}
