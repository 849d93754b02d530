import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { available } from '../../http/available.ts';
import { key } from '../../platform/aws/table-reader.ts';
import { dynamo } from '../../platform/clients.ts';
import { conditionally } from '../../platform/conditionally.ts';
import { config } from '../../platform/config.ts';
import type { HostnameRepository } from '../ports.ts';

/** Releases hostnames in the directory table; apart from what reserves them, which functions have no use for. */
export const createDynamoHostnameRepository = (): Pick<HostnameRepository, 'release'> => ({
  release: async (hostname, domainId) => {
    const removal = new DeleteCommand({
      TableName: config('directoryTable'),
      Key: key.host(hostname),
      ConditionExpression: 'domainId = :mine',
      ExpressionAttributeValues: { ':mine': domainId },
    });
    await available('The hostname cannot be released. Try again shortly.', () => conditionally(dynamo().send(removal)));
  },
});
