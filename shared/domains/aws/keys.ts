import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const domainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `domain#${domainId}`,
});
/**
 * Key of the item that keeps the hostname of a removed domain, so that a page copy for another organization still
 * clears references to the domain.
 */
export const removedDomainKey = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `removed-domain#${domainId}`,
});
/** Key of the item that reserves a hostname for one organization. */
export const hostnameKey = (hostname: string): PrimaryKey => ({ pk: `host#${hostname}`, sk: 'host' });
