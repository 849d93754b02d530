import { findNodeAtLocation, type Node } from 'jsonc-parser';
import * as z from 'zod/mini';
import { BLOCKS_MAX } from '../../../shared/landing-pages/landing-page.ts';
import { formatPath, type ReportedIssue } from '../json-document/issues.ts';
import { createLocator } from '../json-document/locate.ts';
import { parseJsonDocument } from '../json-document/parse.ts';
import { indexPositions } from '../json-document/positions.ts';
import '../../../shared/platform/zod-english-messages.ts';

const ISSUES_MAX = 20;
/**
 * Maximum bytes of a block's body, and of a page's css and settings together. Lower than DynamoDB's limit of 400 KB
 * (409 600 bytes), which also covers the item's other attributes.
 */
export const ITEM_TEXT_BYTES_MAX = 405_000;
/** A text as long as the longest asset key: three ids, two slashes and an extension. */
const LONGEST_KEY = '-'.repeat(3 * 36 + 2 + 5);
/** Matches a reference such as `/assets/logo.png`. Does not match the URL path of an asset, which has more slashes. */
const NAMED = /\/assets\/([A-Za-z0-9._-]*[A-Za-z0-9_-])(?![A-Za-z0-9/])/g;

const PageFile = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  slug: z.string().check(z.maxLength(200), z.regex(/^[a-z0-9-]*$/, 'must be lower case letters, digits and hyphens')),
  css: z._default(z.string(), ''),
  settings: z._default(z.record(z.string(), z.unknown()), {}),
  blocks: z
    .array(z.strictObject({ kind: z.string().check(z.minLength(1), z.maxLength(100)), body: z.unknown() }))
    .check(z.maxLength(BLOCKS_MAX)),
});

/** A page as described by a file. Settings and bodies are JSON text, unchanged from the file. */
export type PageDefinition = {
  name: string;
  slug: string;
  css: string;
  settings: string;
  blocks: readonly { kind: string; body: string }[];
};

/**
 * Parses a page file. Invalid bytes result in `issues`, never in an exception.
 *
 * @param assets names of the files that the page can refer to as `/assets/<name>`
 */
export function parsePageFile(
  bytes: Uint8Array,
  assets: ReadonlySet<string>,
): { page: PageDefinition } | { issues: ReportedIssue[] } {
  const { text, issues, json } = parseJsonDocument(bytes);
  const found = issues.map(({ offset, message }) => ({ offset, message, path: '' }));
  if (json === undefined || found.length > 0) return { issues: placed(text, found) };
  const parsed = PageFile.safeParse(json.value);
  const locate = createLocator(json.tree);
  if (!parsed.success) {
    const schemaIssues = parsed.error.issues.map(({ path, message }) => ({
      offset: locate(path),
      path: formatPath(path),
      message,
    }));
    return { issues: placed(text, schemaIssues) };
  }
  const unknown = unknownAssets(text, assets);
  if (unknown.length > 0) return { issues: placed(text, unknown) };
  const page = pageIn(parsed.data, (...path) => textAt(text, json.tree, path));
  const large = tooLarge(page, assets).map((path) => ({
    offset: locate(path),
    path: formatPath(path),
    message: TOO_LARGE,
  }));
  return large.length > 0 ? { issues: placed(text, large) } : { page };
}

type Path = (string | number)[];

const pageIn = (
  { name, slug, css, blocks }: z.infer<typeof PageFile>,
  jsonAt: (...path: Path) => string | undefined,
): PageDefinition => ({
  name,
  slug,
  css,
  settings: jsonAt('settings') ?? '{}',
  blocks: blocks.map(({ kind }, index) => ({ kind, body: jsonAt('blocks', index, 'body') ?? 'null' })),
});

const TOO_LARGE =
  'is too large: after each /assets/<file name> is replaced with a URL path, a body, or css and settings together, ' +
  `can have at most ${ITEM_TEXT_BYTES_MAX.toLocaleString('en')} bytes`;

/** Replaces file names with asset keys. Returns the paths of texts that are then too large for an item. */
function tooLarge({ css, settings, blocks }: PageDefinition, assets: ReadonlySet<string>): Path[] {
  const keys = new Map(Array.from(assets, (name) => [name, LONGEST_KEY]));
  const isLarge = (text: string) => Buffer.byteLength(insertAssetUrls(text, keys)) > ITEM_TEXT_BYTES_MAX;
  const own = css.length > settings.length ? 'css' : 'settings';
  return [
    ...(isLarge(css + settings) ? [[own]] : []),
    ...blocks.flatMap(({ body }, index) => (isLarge(body) ? [['blocks', index, 'body']] : [])),
  ];
}

/** Replaces references by file name with the URL paths of the assets. */
export const insertAssetUrls = (text: string, keys: ReadonlyMap<string, string>): string =>
  text.replace(NAMED, (whole, name: string) => {
    const key = keys.get(name);
    return key === undefined ? whole : `/assets/${key}`;
  });

function textAt(text: string, tree: Node, path: Path): string | undefined {
  const node = findNodeAtLocation(tree, path);
  return node && text.slice(node.offset, node.offset + node.length);
}

type Found = { offset: number; path: string; message: string };

const unknownAssets = (text: string, assets: ReadonlySet<string>): Found[] =>
  [...text.matchAll(NAMED)].flatMap(({ index, 1: name = '' }) =>
    assets.has(name)
      ? []
      : [
          {
            offset: index,
            path: '',
            message: `There is no asset ${name}: with --assets, give a folder that contains this file`,
          },
        ],
  );

function placed(text: string, found: readonly Found[]): ReportedIssue[] {
  const { lineOf, columnOf } = indexPositions(text);
  return found.slice(0, ISSUES_MAX).map(({ offset, path, message }) => ({
    path,
    line: lineOf(offset),
    column: columnOf(offset),
    message: `${message.replace(/\.$/, '')}.`,
  }));
}
