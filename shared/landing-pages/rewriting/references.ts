import { domainToASCII } from 'node:url';
import { readingsOf } from './readings.ts';

/** What a copy changes in its texts. All ids and hostnames are in lower case. */
export type RewriteRules = {
  /** The replacement of each id, or null if references to the id are cleared (see `rewriteText`). Other ids stay. */
  ids: ReadonlyMap<string, string | null>;
  /** How to rewrite the URL path of each asset, by id. */
  assets: ReadonlyMap<string, AssetRewrite>;
  /** Id of the source organization. The keys of its assets begin with this id. */
  orgId: string;
  /** If true, the copy may refer to files of other pages. */
  isSameOrganization: boolean;
  /** Hostnames as A-labels. References to them are cleared. */
  hostnames: ReadonlySet<string>;
};

/**
 * A tuple contains the parts of the new file's key. `kept`: the copy shows the same file. `null`: references are
 * cleared.
 */
export type AssetRewrite = readonly [orgId: string, pageId: string, assetId: string] | 'kept' | null;

/** A reference in a text and its replacement. `null`: the reference is cleared. */
export type Reference = { start: number; end: number; to: string | null };

/** A reference in a text. If `to` is undefined, the reference stays unchanged, including the ids in it. */
type Found = { start: number; end: number; to: string | null | undefined };

const HEX = '[0-9a-f]';
const ID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;
const ANY_ID = new RegExp(ID, 'gi');
const ASSET_KEY = new RegExp(`(${ID})/(${ID})/(${ID})(\\.[a-z0-9]{1,10})?`, 'iy');
const ID_LENGTH = 36;
/** Also matches words without a dot, because requiring a dot would make matching take more than linear time. */
const HOST = /[\p{L}\p{M}\p{N}_-]+(?:[.。．｡][\p{L}\p{M}\p{N}_-]+)*/gu;
const DOT = /[.。．｡]/;

/**
 * Returns the references that the copy changes in a text, in order and without overlaps. Finds references with any
 * escapes, because the text is searched after each level of decoding (`readingsOf`). If references from two levels
 * overlap, keeps the reference from the later level, because the other may be only a part of an asset's key.
 */
export function referencesIn(text: string, rules: RewriteRules): Reference[] {
  let found: Found[] = [];
  for (const reading of readingsOf(text).reverse()) {
    const inReading = findReferences(reading.text, rules).map(({ start, end, to }): Found => {
      const source = { start: reading.sourceIndexOf(start), end: reading.sourceIndexOf(end) };
      return { ...source, to: to && spelledLike(text.slice(source.start, source.end), to) };
    });
    found = withoutOverlaps(found, inReading);
  }
  return found.flatMap(({ to, ...region }) => (to === undefined ? [] : [{ ...region, to }]));
}

/**
 * In a style sheet, an identifier cannot begin with a digit: `#\31 23…` selects the id `123…`. If the replaced id began
 * with such an escape, escapes the first digit of `id`, too.
 */
function spelledLike(replaced: string, id: string): string {
  const backslashes = /^\\+(?=[0-9a-f])/i.exec(replaced)?.[0];
  return backslashes !== undefined && /^[0-9]/.test(id) ? `${backslashes}3${id.charAt(0)} ${id.slice(1)}` : id;
}

/** Merges two lists that are in the order of the text. If two references overlap, keeps the reference in `first`. */
function withoutOverlaps(first: readonly Found[], second: readonly Found[]): Found[] {
  if (first.length === 0) return [...second];
  let next = 0;
  const added = second.filter(({ start, end }) => {
    while ((first[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    return (first[next]?.start ?? Number.POSITIVE_INFINITY) >= end;
  });
  return [...first, ...added].sort((one, other) => one.start - other.start);
}

function findReferences(text: string, rules: RewriteRules): Found[] {
  const assetKeys: Found[] = [];
  const ids = text.includes('-') ? findIds(text, rules, assetKeys) : [];
  const hosts = rules.hostnames.size > 0 ? findHosts(text, rules) : [];
  return withoutOverlaps(ids, extendToOrigins(text, hosts, assetKeys));
}

/** @param remainingKeys collects the asset keys that are not cleared */
function findIds(text: string, rules: RewriteRules, remainingKeys: Found[]): Found[] {
  const found: Found[] = [];
  ANY_ID.lastIndex = 0;
  for (let match = ANY_ID.exec(text); match !== null; match = ANY_ID.exec(text)) {
    const start = match.index;
    const key = rewriteAssetKey(text, start, rules);
    const to = rules.ids.get(match[0].toLowerCase());
    if (key !== undefined) {
      found.push(...key);
      const end = key.at(-1)?.end ?? start;
      if (key[0]?.to !== null) remainingKeys.push({ start, end, to: undefined });
      ANY_ID.lastIndex = end;
    } else if (to !== undefined) found.push({ start, end: start + ID_LENGTH, to });
    // Continues with the next character, because the last digits of this match can be the first digits of an id.
    else ANY_ID.lastIndex = start + 1;
  }
  return found;
}

/**
 * Finds the key of an asset, `<organization>/<page>/<asset>.<extension>`, at `start`. If the copy replaces the ids,
 * each id in the key is a reference of its own. If the copy keeps or clears the key, the whole key is one reference.
 * Returns undefined if there is no key of the source organization, or if the copy has no rule for this key. Exception:
 * if the target is another organization, a key with an extension is cleared even without a rule.
 */
function rewriteAssetKey(text: string, start: number, rules: RewriteRules): Found[] | undefined {
  ASSET_KEY.lastIndex = start;
  const match = ASSET_KEY.exec(text);
  if (match === null) return undefined;
  const [whole, orgId = '', pageId = '', assetId = '', extension = ''] = match;
  if (orgId.toLowerCase() !== rules.orgId) return undefined;
  const rewrite = rules.assets.get(assetId.toLowerCase());
  if (rewrite === undefined && (rules.isSameOrganization || extension === '')) return undefined;
  if (!rewrite) return [{ start, end: start + whole.length, to: null }];
  // The reference ends before the extension. The extension does not change, but another reference can begin in it.
  const end = start + whole.length - extension.length;
  if (rewrite === 'kept') return [{ start, end, to: undefined }];
  const starts = [start, start + orgId.length + 1, start + orgId.length + pageId.length + 2];
  return rewrite.map((to, index) => {
    const idStart = starts[index] ?? start;
    return { start: idStart, end: idStart + ID_LENGTH, to };
  });
}

function findHosts(text: string, { hostnames }: RewriteRules): Found[] {
  const found: Found[] = [];
  for (const { index, 0: host } of text.matchAll(HOST)) {
    if (DOT.test(host) && hostnames.has(toALabels(host)))
      found.push({ start: index, end: index + host.length, to: null });
  }
  return found;
}

const toALabels = (host: string): string => (/^[ -~]*$/.test(host) ? host : domainToASCII(host)).toLowerCase();

const ORIGIN = /(?:https?:)?\/\/$/i;
const ORIGIN_LENGTH = 'https://'.length;
const PORT = /\.?(?::\d{1,5})?/y;
/** The path between a host and the key of an asset. */
const PATH = /^[^\s"'`<>(){}[\]|^,;?#]{1,60}$/;
const PATH_LENGTH_MAX = 60;

/**
 * Some cleared hostnames are in URLs of assets. Extends such a reference from the hostname to the whole origin. Only
 * the origin is then removed from the URL, because the path is also valid without a host.
 */
function extendToOrigins(text: string, hosts: readonly Found[], assetKeys: readonly Found[]): Found[] {
  let next = 0;
  return hosts.map((host) => {
    while ((assetKeys[next]?.start ?? Number.POSITIVE_INFINITY) < host.end) next++;
    const pathEnd = assetKeys[next]?.start ?? Number.POSITIVE_INFINITY;
    PORT.lastIndex = host.end;
    const end = host.end + (PORT.exec(text)?.[0].length ?? 0);
    if (pathEnd - end > PATH_LENGTH_MAX || !PATH.test(text.slice(end, pathEnd))) return host;
    const origin = ORIGIN.exec(text.slice(Math.max(0, host.start - ORIGIN_LENGTH), host.start));
    return origin === null ? host : { start: host.start - origin[0].length, end, to: '' };
  });
}
