import { domainToUnicode } from 'node:url';
import type { LandingPage, PageAsset, PageBlock } from '../landing-page.ts';
import type { AssetRewrite, RewriteRules } from './references.ts';
import { rewriteJson } from './rewrite-json.ts';
import { rewriteText } from './rewrite-text.ts';

export type PageWithParts = { page: LandingPage; blocks: readonly PageBlock[]; assets: readonly PageAsset[] };

/** What of an organization's must not be referred to from another one's pages. */
export type OrganizationReferences = { ids: readonly string[]; hostnames: readonly string[] };

export type PageRewrite = {
  source: PageWithParts;
  /** The copy: whose it is, and its own id. */
  target: { orgId: string; pageId: string };
  /** What becomes of each asset, by its id: copied as another one, or no longer there; absent: it was left where it is. */
  assets: ReadonlyMap<string, PageAsset | 'gone'>;
  /** Used where the target is another organization than the source's. */
  foreign: OrganizationReferences;
  newId: () => string;
  /** ISO 8601 UTC with milliseconds. */
  createdAt: string;
};

/** The copy of a page: a draft without a domain, with own ids in place of the source's everywhere. */
export function rewritePage(rewriting: PageRewrite): PageWithParts {
  const { source, target, createdAt } = rewriting;
  const blockIds = new Map(source.blocks.map(({ id }) => [id.toLowerCase(), likeSpelled(id, rewriting.newId())]));
  const lexicon = lexiconOf(rewriting, blockIds);
  return {
    page: {
      ...source.page,
      ...{ id: target.pageId, orgId: target.orgId, status: 'draft', domainId: null, createdAt, updatedAt: createdAt },
      css: rewriteText(source.page.css, lexicon) ?? '',
      settings: rewriteJson(source.page.settings, lexicon),
    },
    blocks: source.blocks.map((block) => ({
      ...block,
      id: blockIds.get(block.id.toLowerCase()) ?? rewriting.newId(),
      body: rewriteJson(block.body, lexicon),
    })),
    assets: source.assets.flatMap((asset) => {
      const fate = rewriting.assets.get(asset.id);
      if (fate === 'gone' || (fate === undefined && !lexicon.isSameOrganization)) return [];
      return [fate ?? asset];
    }),
  };
}

/** With the first digit of the id that it replaces: `#a…` selects by an id, where `#1…` selects nothing. */
const likeSpelled = (replaced: string, newId: string): string => `${replaced.charAt(0).toLowerCase()}${newId.slice(1)}`;

function lexiconOf(
  { source, target, assets, foreign }: PageRewrite,
  blockIds: ReadonlyMap<string, string>,
): RewriteRules {
  const { orgId } = source.page;
  const readsSource = orgId === target.orgId;
  const fates = new Map(
    source.assets.map(({ id }): [string, AssetRewrite] => [
      id.toLowerCase(),
      fateOf(assets.get(id), target, readsSource),
    ]),
  );
  const assetIds = [...fates].flatMap(([id, fate]): [string, string | null][] =>
    fate === 'kept' ? [] : [[id, fate === null ? null : fate[2]]],
  );
  return {
    ids: new Map<string, string | null>([
      ...(readsSource ? [] : foreign.ids.map((id): [string, null] => [id.toLowerCase(), null])),
      ...assetIds,
      [orgId.toLowerCase(), target.orgId],
      [source.page.id.toLowerCase(), target.pageId],
      ...blockIds,
    ]),
    assets: fates,
    orgId: orgId.toLowerCase(),
    isSameOrganization: readsSource,
    hostnames: new Set(readsSource ? [] : foreign.hostnames.flatMap(spellings)),
  };
}

function fateOf(
  copied: PageAsset | 'gone' | undefined,
  target: PageRewrite['target'],
  readsSource: boolean,
): AssetRewrite {
  if (copied === undefined) return readsSource ? 'kept' : null;
  return copied === 'gone' ? null : [target.orgId, target.pageId, copied.id];
}

/** As it is kept, and as people write it where it has letters beyond ASCII. */
const spellings = (hostname: string): string[] => [hostname.toLowerCase(), domainToUnicode(hostname).toLowerCase()];
