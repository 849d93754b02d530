import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { parseDomainItem } from '../../../shared/domains/aws/domain-item.ts';
import { domainKey } from '../../../shared/domains/aws/keys.ts';
import type { CustomDomain } from '../../../shared/domains/domain.ts';
import { prefixQuery } from '../../../shared/platform/aws/table-reader.ts';

/** An organization's domains, including those that are being removed. */
export async function* listDomains(client: DynamoDBDocumentClient, orgId: string): AsyncGenerator<CustomDomain> {
  for await (const { Items = [] } of paginateQuery({ client }, prefixQuery(domainKey(orgId, '')))) {
    for (const item of Items) yield parseDomainItem(item);
  }
}
