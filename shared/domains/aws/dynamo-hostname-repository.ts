import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { HostnameRepository } from '../ports.ts';
import { hostnameKey } from './keys.ts';

/** Has only the method `release`. Only commands use the other methods (`infra/cli/domains`). */
export const createDynamoHostnameRepository = (): Pick<HostnameRepository, 'release'> => ({
  release: async (hostname, domainId) => {
    const removal = new DeleteCommand({
      TableName: requireSetting('directoryTable'),
      Key: hostnameKey(hostname),
      ConditionExpression: 'domainId = :mine',
      ExpressionAttributeValues: { ':mine': domainId },
    });
    await rethrowAsUnavailable('The hostname cannot be released. Try again shortly.', () =>
      undefinedIfConditionFailed(dynamoDocumentClient().send(removal)),
    );
  },
});
