import { findNodeAtLocation, type Node } from 'jsonc-parser';
import * as z from 'zod';
import { type Fault, pathText } from '../directory/funnel-file/fault.ts';
import { readFileText } from '../directory/funnel-file/file-text.ts';
import { locator } from '../directory/funnel-file/located.ts';
import { positionsIn } from '../directory/funnel-file/positions.ts';
import { BLOCKS_MAX } from './landing-page.ts';

const FAULTS_MAX = 20;
/** How a file's texts name an asset: by the name of a file. What has a slash behind it is an address already. */
const NAMED = /\/assets\/([A-Za-z0-9._-]*[A-Za-z0-9_-])(?![A-Za-z0-9/])/g;

const PageFile = z.strictObject({
  name: z.string().min(1).max(200),
  slug: z
    .string()
    .max(200)
    .regex(/^[a-z0-9-]*$/, 'must be lower case letters, digits and hyphens'),
  css: z.string().default(''),
  settings: z.record(z.string(), z.unknown()).default({}),
  blocks: z.array(z.strictObject({ kind: z.string().min(1).max(100), body: z.unknown() })).max(BLOCKS_MAX),
});

/** A page as a file describes it; settings and bodies are the file's own JSON. */
export type NewPage = {
  name: string;
  slug: string;
  css: string;
  settings: string;
  blocks: readonly { kind: string; body: string }[];
};

/**
 * Reads a page's file. Never throws, whatever the bytes are.
 *
 * @param assets the names of the files that it can show, as `/assets/<name>`
 */
export function readPageFile(bytes: Uint8Array, assets: ReadonlySet<string>): { page: NewPage } | { faults: Fault[] } {
  const { text, faults, json } = readFileText(bytes);
  const found = faults.map(({ offset, message }) => ({ offset, message, path: '' }));
  if (json === undefined || found.length > 0) return { faults: placed(text, found) };
  const parsed = PageFile.safeParse(json.value);
  const locate = locator(json.tree);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({
      offset: locate(path),
      path: pathText(path),
      message,
    }));
    return { faults: placed(text, issues) };
  }
  const unknown = unknownAssets(text, assets);
  if (unknown.length > 0) return { faults: placed(text, unknown) };
  const { name, slug, css, blocks } = parsed.data;
  const jsonAt = (...path: (string | number)[]) => textAt(text, json.tree, path);
  return {
    page: {
      ...{ name, slug, css, settings: jsonAt('settings') ?? '{}' },
      blocks: blocks.map(({ kind }, index) => ({ kind, body: jsonAt('blocks', index, 'body') ?? 'null' })),
    },
  };
}

/** A text with the addresses of assets in place of the names of their files. */
export const withAddresses = (text: string, keys: ReadonlyMap<string, string>): string =>
  text.replace(NAMED, (whole, name: string) => {
    const key = keys.get(name);
    return key === undefined ? whole : `/assets/${key}`;
  });

function textAt(text: string, tree: Node, path: (string | number)[]): string | undefined {
  const node = findNodeAtLocation(tree, path);
  return node && text.slice(node.offset, node.offset + node.length);
}

type Found = { offset: number; path: string; message: string };

const unknownAssets = (text: string, assets: ReadonlySet<string>): Found[] =>
  [...text.matchAll(NAMED)].flatMap(({ index, 1: name = '' }) =>
    assets.has(name) ? [] : [{ offset: index, path: '', message: `There is no file ${name} in the folder of assets` }],
  );

function placed(text: string, found: readonly Found[]): Fault[] {
  const { lineOf, columnOf } = positionsIn(text);
  return found.slice(0, FAULTS_MAX).map(({ offset, path, message }) => ({
    ...{ path, line: lineOf(offset), column: columnOf(offset) },
    message: `${message.replace(/\.$/, '')}.`,
  }));
}
