import * as z from 'zod/mini';

/** A page copies with at most so many (decisions 10). */
export const COPIED_ASSETS_MAX = 200;
/** One that is copied without them may have more. */
export const UNCOPIED_ASSETS_MAX = 1_000;
export const BLOCKS_MAX = 500;
/** All texts of a page together, in bytes of UTF-8. */
export const TEXT_BYTES_MAX = 4_000_000;

/** A page of an organization. Its record is what makes it exist: its blocks and assets stand before it does. */
export const LandingPage = z.object({
  id: z.guid(),
  orgId: z.guid(),
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  /** The last part of its address on the organization's domains. */
  slug: z.string().check(z.maxLength(200)),
  status: z.enum(['draft', 'published']),
  /** A style sheet for the whole page. */
  css: z._default(z.string(), ''),
  /** JSON text of an object: texts for search engines, tracking, whatever the editor keeps of the page itself. */
  settings: z._default(z.string(), '{}'),
  /** The domain that the page is shown on. */
  domainId: z._default(z.nullable(z.guid()), null),
  /** ISO 8601 UTC with milliseconds. */
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type LandingPage = z.infer<typeof LandingPage>;

/** A part of a page. What it holds is the editor's: any JSON, with style sheets and rich text (HTML) as strings in it. */
export const PageBlock = z.object({
  id: z.guid(),
  position: z.int().check(z.minimum(0)),
  kind: z.string(),
  /** JSON text. */
  body: z.string(),
});
export type PageBlock = z.infer<typeof PageBlock>;

/** A file that a page shows. Pages name it by its id, or by its address: `/assets/<key>`, on any host or none. */
export const PageAsset = z.object({
  id: z.guid(),
  /** `<organization>/<page>/<asset>.<extension>`. */
  key: z.string(),
  name: z.string(),
  mimeType: z.string(),
  /** Bytes. */
  size: z.int().check(z.minimum(0)),
  createdAt: z.string(),
});
export type PageAsset = z.infer<typeof PageAsset>;

/**
 * Where assets are in the uploads bucket, so that the object of `/assets/<key>` has that path, and the roles of functions
 * that handle visitors' files can be kept away from what pages show.
 */
export const ASSETS_PREFIX = 'assets/';
export const assetObjectKey = (assetKey: string): string => `${ASSETS_PREFIX}${assetKey}`;

export const formatAssetKey = (orgId: string, pageId: string, assetId: string, extension: string): string =>
  `${orgId}/${pageId}/${assetId}.${extension}`;

/** Whose file it is, by its key: the page that it was put or copied for. */
export function parseAssetKey(assetKey: string): { orgId: string; pageId: string } | undefined {
  const [orgId, pageId, ...name] = assetKey.split('/');
  return orgId && pageId && name.length === 1 ? { orgId, pageId } : undefined;
}
