import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Score, TrainingCall } from '../../../shared/training/call.ts';
import { parseStoredJson } from '../../../shared/training/stored-json.ts';
import type { CallLister } from './call-lister.ts';
import { listTrainingRecords } from './dynamo-training-records.ts';

const Members = z.pick(TrainingCall, {
  ...{ id: true, userId: true, status: true, createdAt: true },
  ...{ durationSeconds: true, caseId: true, personaId: true, failureReason: true },
});

const Judged = z.object({ judgedBy: z.string() });

const Item = z.pipe(
  z.extend(Members, {
    caseSnapshot: z.object({ name: z.string() }),
    score: z.nullish(z.string()),
    analysis: z.nullish(z.string()),
  }),
  z.transform(({ caseSnapshot, score, analysis, ...call }) => ({
    ...call,
    caseName: caseSnapshot.name,
    isProvisional:
      typeof analysis === 'string' && parseStoredJson(Judged, analysis, 'The analysis of a call').judgedBy === 'rules',
    total: typeof score === 'string' ? parseStoredJson(Score, score, 'The score of a call').total : null,
  })),
);

const ONLY = [...Object.keys(Members.shape), 'score', 'analysis', 'caseSnapshot.name'];

const Key = z.object({ sk: z.string().check(z.startsWith('call#')) });

/** The ids of a user's calls, regardless of what else their records hold. */
export async function* listCallIdsOfUser(
  client: DynamoDBDocumentClient,
  orgId: string,
  userId: string,
): AsyncGenerator<string> {
  for await (const item of listTrainingRecords(client, { orgId, kind: 'call', only: ['sk'], where: { userId } })) {
    yield Key.parse(item).sk.slice('call#'.length);
  }
}

/** Calls in the training table. DynamoDB filters them after it has read them. */
export const createDynamoCallLister = (client: DynamoDBDocumentClient): CallLister => ({
  listNewestFirst: async function* (orgId, { after, status, userId }) {
    const asked = { orgId, kind: 'call', order: 'newest first', only: ONLY, where: { status, userId }, after } as const;
    for await (const item of listTrainingRecords(client, asked)) yield Item.parse(item);
  },
});
