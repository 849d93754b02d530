import type { PageAsset, PageWithParts } from '../landing-page.ts';
import type { OrganizationReferences } from '../ports.ts';
import type { AssetRewrite, RewriteRules } from './references.ts';
import { rewriteJson } from './rewrite-json.ts';
import { rewriteText } from './rewrite-text.ts';

export type PageRewrite = {
  source: PageWithParts;
  /** The organization and the id of the copy. */
  target: { orgId: string; pageId: string };
  /**
   * By id of an asset: the copy of the asset, or `missing` if the asset's file does not exist. An asset that is not
   * copied has no entry.
   */
  assets: ReadonlyMap<string, PageAsset | 'missing'>;
  /** References that are cleared when the target is another organization. */
  foreign: OrganizationReferences;
  newId: () => string;
  /** ISO 8601 UTC with milliseconds. */
  createdAt: string;
};

/**
 * Creates the copy of a page, a draft without a domain. In the texts of the copy, new ids replace the ids of the
 * source.
 */
export function rewritePage(rewrite: PageRewrite): PageWithParts {
  const { source, target, createdAt } = rewrite;
  const blockIds = new Map(source.blocks.map(({ id }) => [id.toLowerCase(), withFirstDigitOf(id, rewrite.newId())]));
  const rules = createRules(rewrite, blockIds);
  return {
    page: {
      ...source.page,
      id: target.pageId,
      orgId: target.orgId,
      status: 'draft',
      domainId: null,
      createdAt,
      updatedAt: createdAt,
      css: rewriteText(source.page.css, rules) ?? '',
      settings: rewriteJson(source.page.settings, rules),
    },
    blocks: source.blocks.map((block) => ({
      ...block,
      id: blockIds.get(block.id.toLowerCase()) ?? rewrite.newId(),
      body: rewriteJson(block.body, rules),
    })),
    assets: source.assets.flatMap((asset) => {
      const copy = rewrite.assets.get(asset.id);
      if (copy === 'missing' || (copy === undefined && !rules.isSameOrganization)) return [];
      return [copy ?? asset];
    }),
  };
}

/**
 * Keeps the first digit of the replaced id, so that selectors stay valid: `#a…` is a valid CSS selector, `#1…` is not.
 */
const withFirstDigitOf = (replaced: string, newId: string): string =>
  `${replaced.charAt(0).toLowerCase()}${newId.slice(1)}`;

function createRules(
  { source, target, assets, foreign }: PageRewrite,
  blockIds: ReadonlyMap<string, string>,
): RewriteRules {
  const { orgId } = source.page;
  const isSameOrganization = orgId === target.orgId;
  const assetRewrites = new Map(
    source.assets.map(({ id }): [string, AssetRewrite] => [
      id.toLowerCase(),
      rewriteAsset(assets.get(id), target, isSameOrganization),
    ]),
  );
  const assetIds = [...assetRewrites].flatMap(([id, rewrite]): [string, string | null][] =>
    rewrite === 'kept' ? [] : [[id, rewrite === null ? null : rewrite[2]]],
  );
  return {
    ids: new Map<string, string | null>([
      ...(isSameOrganization ? [] : foreign.ids.map((id): [string, null] => [id.toLowerCase(), null])),
      ...assetIds,
      [orgId.toLowerCase(), target.orgId],
      [source.page.id.toLowerCase(), target.pageId],
      ...blockIds,
    ]),
    assets: assetRewrites,
    orgId: orgId.toLowerCase(),
    isSameOrganization,
    hostnames: new Set(isSameOrganization ? [] : foreign.hostnames.map((hostname) => hostname.toLowerCase())),
  };
}

function rewriteAsset(
  copy: PageAsset | 'missing' | undefined,
  target: PageRewrite['target'],
  isSameOrganization: boolean,
): AssetRewrite {
  if (copy === undefined) return isSameOrganization ? 'kept' : null;
  return copy === 'missing' ? null : [target.orgId, target.pageId, copy.id];
}
