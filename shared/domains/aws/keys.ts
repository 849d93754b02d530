import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const domainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `domain#${domainId}`,
});
/**
 * Key of the item that keeps the hostname of a removed domain. When a page is copied into another organization,
 * references to this hostname are still cleared.
 */
export const removedDomainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `removed-domain#${domainId}`,
});
/** Key of the item that reserves a hostname for one organization. */
export const hostnameKey = (hostname: string): PrimaryKey => ({ pk: `host#${hostname}`, sk: 'host' });
