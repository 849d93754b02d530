import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { parseDomainItem, toDomainItem } from '../../../shared/domains/aws/domain-item.ts';
import { domainKey, hostnameKey } from '../../../shared/domains/aws/keys.ts';
import type { CustomDomain } from '../../../shared/domains/domain.ts';
import type { HostnameRepository } from '../../../shared/domains/ports.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { prefixQuery } from '../../../shared/platform/aws/table-reader.ts';
import { createRecordTable } from '../environment/record-table.ts';
import type { AddDomainPorts } from './add-domain.ts';

const Reservation = z.object({ orgId: z.string(), domainId: z.string(), reservedAt: z.string() });
const StoredDomain = z.pipe(z.record(z.string(), z.unknown()), z.transform(parseDomainItem));

export function createDynamoHostnameReservationRepository(): Omit<HostnameRepository, 'release'> {
  const { read, put } = createRecordTable('directoryTable');
  return {
    findReservation: (hostname) => read(Reservation, hostnameKey(hostname)),
    reserve: (hostname, reservation) => put(hostnameKey(hostname), reservation),
    replaceReservation: (hostname, from, to) =>
      put(hostnameKey(hostname), to, {
        expression: 'domainId = :from AND reservedAt = :at',
        values: { ':from': from.domainId, ':at': from.reservedAt },
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
  create: (domain) => createRecordTable('directoryTable').put(domainKey(domain.orgId, domain.id), toDomainItem(domain)),
});

/** Lists an organization's domains, including those that are being removed. */
export const listDomains = (orgId: string): AsyncIterable<CustomDomain> =>
  createRecordTable('directoryTable').list(StoredDomain, domainKey(orgId, ''));
