import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { trainingKey } from '../../../shared/training/aws/training-table.ts';
import { TrainingCase } from '../../../shared/training/training-case.ts';
import type { ArchiveOutcome, CaseAdminRepository } from './case-admin-repository.ts';
import { listTrainingRecords } from './dynamo-training-records.ts';

const StoredCase = z.extend(TrainingCase, { createdAt: z.string() });
const Summary = z.pick(StoredCase, { id: true, name: true, difficulty: true, archivedAt: true, createdAt: true });

/** Cases in the training table. */
export function createDynamoCaseAdminRepository(client: DynamoDBDocumentClient): CaseAdminRepository {
  const at = (orgId: string, caseId: string) => ({
    TableName: requireSetting('trainingTable'),
    Key: trainingKey.trainingCase(orgId, caseId),
  });
  const find: CaseAdminRepository['find'] = async (orgId, caseId) => {
    const { Item } = await client.send(new GetCommand({ ...at(orgId, caseId), ConsistentRead: true }));
    return z.optional(StoredCase).parse(Item);
  };
  /** @param from the previous type of `archivedAt`: text or nothing */
  const move = async (
    orgId: string,
    caseId: string,
    archivedAt: string | null,
    from: 'S' | 'NULL',
  ): Promise<ArchiveOutcome> => {
    const update = new UpdateCommand({
      ...at(orgId, caseId),
      UpdateExpression: 'SET archivedAt = :to',
      ConditionExpression: 'attribute_type(archivedAt, :from)',
      ExpressionAttributeValues: { ':to': archivedAt, ':from': from },
    });
    if ((await undefinedIfConditionFailed(client.send(update))) !== undefined) return 'done';
    return (await find(orgId, caseId)) === undefined ? 'unknown' : 'already';
  };
  return {
    list: async function* (orgId) {
      const only = Object.keys(Summary.shape);
      for await (const item of listTrainingRecords(client, { orgId, kind: 'case', only })) yield Summary.parse(item);
    },
    find,
    archive: (orgId, caseId, atMs) => move(orgId, caseId, new Date(atMs).toISOString(), 'NULL'),
    restore: (orgId, caseId) => move(orgId, caseId, null, 'S'),
  };
}
