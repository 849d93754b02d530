import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { organizationKey, organizationListKey } from '../../organizations/aws/keys.ts';
import { Organization } from '../../organizations/organization.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { prefixQuery, readParsedItem } from '../../platform/aws/table-reader.ts';
import type { RetentionRunPorts } from '../ports.ts';

const Settings = z.pick(Organization, { retention: true });

/** Organizations by the list that operators see; their settings as they are right now, since what is erased is gone. */
export function createDynamoOrganizationRetentionReader(): RetentionRunPorts['organizations'] {
  return {
    listIds: async () => {
      const first = organizationListKey('');
      const ids: string[] = [];
      for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, prefixQuery(first)))
        ids.push(...Items.map(({ sk }) => String(sk).slice(first.sk.length)));
      return ids;
    },
    find: (orgId) => readParsedItem(Settings, organizationKey(orgId), true),
  };
}
