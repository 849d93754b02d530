import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const domainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `domain#${domainId}`,
});
/** Stays after a domain was removed, so that copies of pages for other organizations lose their references to it. */
export const removedDomainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `removed-domain#${domainId}`,
});
/** Reserves a hostname for one organization. */
export const hostnameKey = (hostname: string): PrimaryKey => ({ pk: `host#${hostname}`, sk: 'host' });
