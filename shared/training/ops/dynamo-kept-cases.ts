import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionally } from '../../platform/conditionally.ts';
import { config } from '../../platform/config.ts';
import { TrainingCase } from '../training-case.ts';
import { trainingKey } from '../training-table.ts';
import { recordsOf } from './dynamo-records.ts';
import type { KeptCases, Moved } from './kept-cases.ts';

const KeptCase = z.extend(TrainingCase, { createdAt: z.string() });
const Summary = z.pick(KeptCase, { id: true, name: true, difficulty: true, archivedAt: true, createdAt: true });

/** Cases in the training table. */
export function dynamoKeptCases(client: DynamoDBDocumentClient): KeptCases {
  const at = (orgId: string, caseId: string) => ({
    TableName: config('trainingTable'),
    Key: trainingKey.trainingCase(orgId, caseId),
  });
  const find: KeptCases['find'] = async (orgId, caseId) => {
    const { Item } = await client.send(new GetCommand({ ...at(orgId, caseId), ConsistentRead: true }));
    return z.optional(KeptCase).parse(Item);
  };
  /** @param from the type that `archivedAt` has before: text or nothing */
  const move = async (orgId: string, caseId: string, archivedAt: string | null, from: 'S' | 'NULL'): Promise<Moved> => {
    const update = new UpdateCommand({
      ...at(orgId, caseId),
      UpdateExpression: 'SET archivedAt = :to',
      ConditionExpression: 'attribute_type(archivedAt, :from)',
      ExpressionAttributeValues: { ':to': archivedAt, ':from': from },
    });
    if ((await conditionally(client.send(update))) !== undefined) return 'done';
    return (await find(orgId, caseId)) === undefined ? 'unknown' : 'already';
  };
  return {
    all: async function* (orgId) {
      const only = Object.keys(Summary.shape);
      for await (const item of recordsOf(client, { orgId, kind: 'case', only })) yield Summary.parse(item);
    },
    find,
    archive: (orgId, caseId, atMs) => move(orgId, caseId, new Date(atMs).toISOString(), 'NULL'),
    restore: (orgId, caseId) => move(orgId, caseId, null, 'S'),
  };
}
