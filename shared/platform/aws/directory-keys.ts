// Where the directory table keeps what; a tenant's records start with the tenant, a funnel's and a page's with these.
// Imported as `key`; each by itself, so that a function carries only those it uses.

export type PrimaryKey = { pk: string; sk: string };

export const organization = (orgId: string): PrimaryKey => ({ pk: `org#${orgId}`, sk: 'organization' });
export const member = (orgId: string, userId: string): PrimaryKey => ({ pk: `org#${orgId}`, sk: `member#${userId}` });
export const orgFunnel = (orgId: string, funnelId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `funnel#${funnelId}`,
});
export const block = (orgId: string, blockId: string): PrimaryKey => ({ pk: `org#${orgId}`, sk: `block#${blockId}` });
export const funnel = (funnelId: string): PrimaryKey => ({ pk: `funnel#${funnelId}`, sk: 'funnel' });
/** Lists all organizations to operators. */
export const listedOrganization = (orgId: string): PrimaryKey => ({ pk: 'organizations', sk: `org#${orgId}` });
export const page = (orgId: string, pageId: string): PrimaryKey => ({ pk: `org#${orgId}`, sk: `page#${pageId}` });
export const pageBlock = (pageId: string, blockId: string): PrimaryKey => ({
  pk: `page#${pageId}`,
  sk: `block#${blockId}`,
});
export const pageAsset = (pageId: string, assetId: string): PrimaryKey => ({
  pk: `page#${pageId}`,
  sk: `asset#${assetId}`,
});
/** Tells of a page that it shows files of this one. */
export const pageSharer = (pageId: string, by: string): PrimaryKey => ({ pk: `page#${pageId}`, sk: `sharer#${by}` });
export const domain = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `domain#${domainId}`,
});
/** Kept after the removal of a domain, so that copies of pages for other organizations lose their references to it. */
export const removedDomain = (orgId: string, domainId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `removed-domain#${domainId}`,
});
/** Global: one organization holds a hostname. The record tells which. */
export const host = (hostname: string): PrimaryKey => ({ pk: `host#${hostname}`, sk: 'host' });
export const version = (funnelId: string, versionId: string): PrimaryKey => ({
  pk: `funnel#${funnelId}`,
  sk: `version#${versionId}`,
});
/** What a version was made of; `draft` for what a funnel without one will be. */
export const funnelFile = (funnelId: string, of: string): PrimaryKey => ({
  pk: `funnel#${funnelId}`,
  sk: `file#${of}`,
});
