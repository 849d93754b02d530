import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { organizationKey, organizationListKey } from '../../organizations/aws/keys.ts';
import { Organization } from '../../organizations/organization.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { prefixQuery, readParsedItem } from '../../platform/aws/table-reader.ts';
import type { RetentionRunPorts } from '../ports.ts';

const Settings = z.pick(Organization, { retention: true });

/** Reads retention periods with strong consistency, because an erasure that used an outdated period can't be undone. */
export function createDynamoOrganizationRetentionReader(): RetentionRunPorts['organizations'] {
  return {
    listIds: async () => {
      const first = organizationListKey('');
      const ids: string[] = [];
      for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, prefixQuery(first))) {
        ids.push(...Items.map(({ sk }) => String(sk).slice(first.sk.length)));
      }
      return ids;
    },
    find: (orgId) => readParsedItem(Settings, organizationKey(orgId), true),
  };
}
