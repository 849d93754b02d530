import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const funnelKey = (funnelId: string): PrimaryKey => ({ pk: `funnel#${funnelId}`, sk: 'funnel' });
export const versionKey = (funnelId: string, versionId: string): PrimaryKey => ({
  pk: `funnel#${funnelId}`,
  sk: `version#${versionId}`,
});
/**
 * Key of the definition from which a version was made. If the version id is `draft`, returns the key of the definition
 * for the first publication of the funnel.
 */
export const definitionKey = (funnelId: string, versionId: string): PrimaryKey => ({
  pk: `funnel#${funnelId}`,
  sk: `file#${versionId}`,
});
/** Key of the item that lists a funnel under its organization. */
export const organizationFunnelKey = (orgId: string, funnelId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `funnel#${funnelId}`,
});
export const uploadBlockKey = (orgId: string, blockId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `block#${blockId}`,
});
