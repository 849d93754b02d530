import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const funnelKey = (funnelId: string): PrimaryKey => ({ pk: `funnel#${funnelId}`, sk: 'funnel' });
export const versionKey = (funnelId: string, versionId: string): PrimaryKey => ({
  pk: `funnel#${funnelId}`,
  sk: `version#${versionId}`,
});
/**
 * Returns the key of the definition from which a version was made. `draft` instead of a version id: the definition for
 * the funnel's first publication.
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
