import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const domainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `domain#${domainId}`,
});
/** Kept after the domain is removed, so that references to it are still cleared in copies of pages for other organizations. */
export const removedDomainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `removed-domain#${domainId}`,
});
/** Reserves a hostname for one organization. */
export const hostnameKey = (hostname: string): PrimaryKey => ({ pk: `host#${hostname}`, sk: 'host' });
