import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const domainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `domain#${domainId}`,
});
/**
 * Key of the item that keeps the hostname of a removed domain. Copying a page into another organization clears
 * references to the hostname, even after the removal.
 */
export const removedDomainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `removed-domain#${domainId}`,
});
/** Key of the item that reserves a hostname for one organization. */
export const hostnameKey = (hostname: string): PrimaryKey => ({ pk: `host#${hostname}`, sk: 'host' });
