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
    /** Whether the score comes from rules alone, because no language model judged the call. */
    isProvisional:
      typeof analysis === 'string' &&
      parseStoredJson(StoredAnalysis, analysis, `The analysis of the call ${call.id}`).judgedBy === 'rules',
    total: typeof score === 'string' ? parseStoredJson(Score, score, `The score of the call ${call.id}`).total : null,
  })),
);

export type CallSummary = z.infer<typeof StoredCall>;

const SUMMARY = [...Object.keys(Members.shape), 'score', 'analysis', 'caseSnapshot.name'];

/**
 * Maximum number of calls per request. Without this limit, even a list of a few calls would read up to 1 MB, because
 * calls can contain transcripts.
 */
const PAGE_SIZE = 100;

type CallFilter = { after?: string | undefined; status?: CallStatus | undefined; userId?: string | undefined };

/**
 * Lists an organization's calls in descending order of their ids, that is, newest first. Starts after the call `after`.
 */
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

/** Lists the ids of a user's calls, including calls whose records are damaged. */
export async function listCallIdsOfUser(orgId: string, userId: string): Promise<string[]> {
  const listing = { only: ['sk'], where: { userId }, pageSize: PAGE_SIZE };
  const keys = createRecordTable('trainingTable').list(Key, trainingKey.call({ orgId, callId: '' }), listing);
  return Array.fromAsync(keys, ({ sk }) => sk.slice(CALL_PREFIX.length));
}
