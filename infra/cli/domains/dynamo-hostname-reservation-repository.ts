import { PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { toDomainItem } from '../../../shared/domains/aws/domain-item.ts';
import { domainKey, hostnameKey } from '../../../shared/domains/aws/keys.ts';
import type { HostnameRepository } from '../../../shared/domains/ports.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { type PrimaryKey, prefixQuery, readParsedItem } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { rethrowAsUnavailable } from '../../../shared/platform/unavailable.ts';
import type { AddDomainPorts } from './add-domain.ts';

const NOT_WRITABLE = 'The hostname cannot be reserved. Try again shortly.';

const Held = z.object({ orgId: z.string(), domainId: z.string(), reservedAt: z.string() });

const IS_NEW: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };

/** Hostname reservations in the directory table. */
export function createDynamoHostnameReservationRepository(): Omit<HostnameRepository, 'release'> {
  return {
    findReservation: (hostname) => readParsedItem(Held, hostnameKey(hostname), true),
    reserve: (hostname, reservation) => put(hostnameKey(hostname), reservation, IS_NEW),
    replaceReservation: (hostname, from, to) =>
      put(hostnameKey(hostname), to, {
        ConditionExpression: 'domainId = :from AND reservedAt = :at',
        ExpressionAttributeValues: { ':from': from.domainId, ':at': from.reservedAt },
      }),
  };
}

export const createDynamoNewDomainRepository = (): Pick<AddDomainPorts['domains'], 'create' | 'countUpTo'> => ({
  countUpTo: async (orgId, most) => {
    let count = 0;
    const query = { ...prefixQuery(domainKey(orgId, '')), Select: 'COUNT' as const, Limit: most };
    for await (const { Count = 0 } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
      count += Count;
      if (count >= most) return most;
    }
    return count;
  },
  create: (domain) => put(domainKey(domain.orgId, domain.id), toDomainItem(domain), IS_NEW),
});

type Condition = { ConditionExpression: string; ExpressionAttributeValues?: Record<string, string> };

/** @returns false if the condition does not hold */
async function put(at: PrimaryKey, item: object, condition: Condition): Promise<boolean> {
  const command = new PutCommand({
    TableName: requireSetting('directoryTable'),
    Item: { ...at, ...item },
    ...condition,
  });
  return (
    (await rethrowAsUnavailable(NOT_WRITABLE, () =>
      undefinedIfConditionFailed(dynamoDocumentClient().send(command)),
    )) !== undefined
  );
}
