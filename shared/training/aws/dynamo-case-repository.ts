import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { CaseRepository } from '../ports.ts';
import { trainingKey } from './training-table.ts';

/** Writes without a condition, because the id is new and a retry of the SDK writes the same item. */
export function createDynamoCaseRepository(clock: Clock = systemClock): CaseRepository {
  return {
    add: async (orgId, trainingCase) => {
      const put = new PutCommand({
        TableName: requireSetting('trainingTable'),
        Item: {
          ...trainingKey.trainingCase(orgId, trainingCase.id),
          ...trainingCase,
          createdAt: new Date(clock.now()).toISOString(),
        },
      });
      await rethrowAsUnavailable('The case cannot be stored. Try again shortly.', () =>
        dynamoDocumentClient().send(put),
      );
    },
  };
}
