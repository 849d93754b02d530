import * as z from 'zod/mini';

/** Maximum number of assets when a page is copied together with its files. */
export const COPIED_ASSETS_MAX = 200;
/** Maximum number of assets when a page is copied without its files. */
export const UNCOPIED_ASSETS_MAX = 1_000;
export const BLOCKS_MAX = 500;
/** Maximum size of all texts of a page together, in bytes of UTF-8. */
export const TEXT_BYTES_MAX = 4_000_000;

/**
 * A landing page of an organization. The page exists as soon as its own record is written. Its parts are written
 * earlier.
 */
export const LandingPage = z.object({
  id: z.guid(),
  orgId: z.guid(),
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  /** The last part of the page's URL on the organization's domains. */
  slug: z.string().check(z.maxLength(200)),
  status: z.enum(['draft', 'published']),
  css: z._default(z.string(), ''),
  /** JSON text of an object, written by the editor: texts for search engines, tracking settings and the like. */
  settings: z._default(z.string(), '{}'),
  /** Id of the domain that serves the page; null if no domain serves it. */
  domainId: z._default(z.nullable(z.guid()), null),
  /** ISO 8601 UTC with milliseconds. */
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type LandingPage = z.infer<typeof LandingPage>;

/**
 * A section of a page. The editor defines the body: any JSON, with style sheets and rich text (HTML) in its strings.
 */
export const PageBlock = z.object({
  id: z.guid(),
  position: z.int().check(z.minimum(0)),
  kind: z.string(),
  /** JSON text. */
  body: z.string(),
});
export type PageBlock = z.infer<typeof PageBlock>;

/** A file that a page shows. Pages refer to it by its id, or by its URL path `/assets/<key>` with or without a host. */
export const PageAsset = z.object({
  id: z.guid(),
  /** `<organization>/<page>/<asset>.<extension>`. */
  key: z.string(),
  name: z.string(),
  mimeType: z.string(),
  /** Size of the file in bytes. */
  size: z.int().check(z.minimum(0)),
  createdAt: z.string(),
});
export type PageAsset = z.infer<typeof PageAsset>;

export type PageParts = { blocks: readonly PageBlock[]; assets: readonly PageAsset[] };
export type PageWithParts = PageParts & { page: LandingPage };

/**
 * Prefix of assets in the uploads bucket, and of their URL paths. Visitors' files have other prefixes, so that
 * functions for these files have no access to assets.
 */
export const ASSETS_PREFIX = 'assets/';
export const assetObjectKey = (assetKey: string): string => `${ASSETS_PREFIX}${assetKey}`;

export const formatAssetKey = (orgId: string, pageId: string, assetId: string, extension: string): string =>
  `${orgId}/${pageId}/${assetId}.${extension}`;

/**
 * Returns the page for which the file was uploaded or copied, and its organization; undefined for an invalid key.
 * Copies of the page within the organization can show the file, too.
 */
export function parseAssetKey(assetKey: string): { orgId: string; pageId: string } | undefined {
  const [orgId, pageId, ...name] = assetKey.split('/');
  return orgId && pageId && name.length === 1 ? { orgId, pageId } : undefined;
}
