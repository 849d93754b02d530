import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { key, prefixQuery } from '../platform/aws/table-reader.ts';
import type { Domain } from './domain.ts';
import { domainIn } from './domain-item.ts';

/** An organization's domains, those that are being removed too. */
export async function* domainsOf(client: DynamoDBDocumentClient, orgId: string): AsyncGenerator<Domain> {
  for await (const { Items = [] } of paginateQuery({ client }, prefixQuery(key.domain(orgId, '')))) {
    for (const item of Items) yield domainIn(item);
  }
}
