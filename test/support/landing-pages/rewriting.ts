import { randomUUID } from 'node:crypto';
import type { LandingPage, PageAsset, PageWithParts } from '../../../shared/landing-pages/landing-page.ts';
import { type PageRewrite, rewritePage } from '../../../shared/landing-pages/rewriting/rewrite-page.ts';
import { aBlock, aPage } from './pages.ts';

type Options = {
  /** Whether the page is copied within its organization. */
  within?: boolean;
  copyAssets?: boolean;
  /** Indexes of assets whose files are missing. */
  missing?: readonly number[];
  page?: Partial<LandingPage>;
};

export const HOST = 'roofs.northlight.example';

/**
 * Creates a page with two blocks and three assets. Returns the page, functions that rewrite it, and other ids, which
 * tests can use in texts of the page.
 */
export function aSource({ within = false, copyAssets = false, missing = [], page: own = {} }: Options = {}) {
  const orgId = randomUUID();
  const [one, two] = [aBlock({}, 0), aBlock({}, 1)];
  const whole = aPage(orgId, { assets: 3, blocks: () => [one, two], ...own });
  const target = { orgId: within ? orgId : randomUUID(), pageId: randomUUID() };
  const [funnelId, uploadBlockId, domainId, strangeId] = Array.from({ length: 4 }, () => randomUUID());
  const assets = new Map<string, PageAsset | 'missing'>();
  for (const [index, asset] of whole.assets.entries()) {
    const id = randomUUID();
    const copy = { ...asset, id, key: `${target.orgId}/${target.pageId}/${id}.png` };
    if (missing.includes(index)) assets.set(asset.id, 'missing');
    else if (copyAssets) assets.set(asset.id, copy);
  }
  const foreign = { ids: [funnelId, uploadBlockId, domainId].map(String), hostnames: [HOST, 'xn--dcher-gra.example'] };
  const rewrite = (source: PageWithParts = whole) => {
    const rewriting: PageRewrite = {
      source,
      target,
      assets,
      foreign,
      newId: randomUUID,
      createdAt: '2026-05-31T12:00:00.000Z',
    };
    return rewritePage(rewriting);
  };
  const body = (json: string): string => {
    const [first] = rewrite({ ...whole, blocks: [{ ...one, body: json }, two] }).blocks;
    return first?.body ?? '';
  };
  /** Rewrites a string in a block. */
  const text = (value: string): unknown => JSON.parse(body(JSON.stringify({ value }))).value;
  const css = (sheet: string): string => rewrite({ ...whole, page: { ...whole.page, css: sheet } }).page.css;
  const keys = whole.assets.map(({ key }) => key);
  const copiedKeys = whole.assets.map(({ id }) => {
    const copy = assets.get(id);
    return copy === undefined || copy === 'missing' ? '' : copy.key;
  });
  const ids = { orgId, pageId: whole.page.id, one: one.id, two: two.id, funnelId, uploadBlockId, domainId, strangeId };
  return {
    whole,
    target,
    ids: ids as Record<keyof typeof ids, string>,
    keys,
    copiedKeys,
    assets,
    rewrite,
    body,
    text,
    css,
  };
}
