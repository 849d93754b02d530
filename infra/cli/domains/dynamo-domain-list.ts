import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { parseDomainItem } from '../../../shared/domains/aws/domain-item.ts';
import type { CustomDomain } from '../../../shared/domains/domain.ts';
import { key, prefixQuery } from '../../../shared/platform/aws/table-reader.ts';

/** An organization's domains, those that are being removed too. */
export async function* listDomains(client: DynamoDBDocumentClient, orgId: string): AsyncGenerator<CustomDomain> {
  for await (const { Items = [] } of paginateQuery({ client }, prefixQuery(key.domain(orgId, '')))) {
    for (const item of Items) yield parseDomainItem(item);
  }
}
