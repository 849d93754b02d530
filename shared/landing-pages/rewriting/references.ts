/** What a copy makes of what its texts refer to. All ids and hostnames in lower case. */
export type RewriteRules = {
  /** By id: the one in its place, or null where the reference is cleared; an id that is not here stays. */
  ids: ReadonlyMap<string, string | null>;
  /** By asset: what becomes of its address. */
  assets: ReadonlyMap<string, AssetRewrite>;
  /** The source's organization: the first part of its assets' addresses. */
  orgId: string;
  /** Whether readers of the copy can read the source organization's files. */
  isSameOrganization: boolean;
  /** References to these are cleared. */
  hostnames: ReadonlySet<string>;
};

/** The parts of the copy's own address; kept: the copy shows the same file; null: the reference is cleared. */
export type AssetRewrite = readonly [orgId: string, pageId: string, assetId: string] | 'kept' | null;

/** A reference in a text, and what it becomes; null: it is cleared. */
export type Reference = { start: number; end: number; to: string | null };

const HEX = '[0-9a-f]';
const TAIL = `${HEX}{7}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;
/** A style sheet's selector can not begin with a digit: it is written `\31 23…` there. */
const ID = `(?:${HEX}|\\\\3[0-9] )${TAIL}`;
/** A slash, also escaped for JSON once or more, for a URL once or more, or for HTML. */
const SLASH = '(?:\\\\{0,8}/|%(?:25){0,8}2f|&#47;|&#x2f;|&sol;)';
// Both of a length that is bounded, so that a search takes a time linear in the text.
const ANY_ID = new RegExp(ID, 'gi');
const REST_OF_KEY = new RegExp(`(${SLASH})(${ID})(${SLASH})(${ID})(\\.[a-z0-9]{1,10})?`, 'iy');
const HOST_RUN = /[\p{L}\p{M}\p{N}._-]+/gu;
const ENCODED_BYTE = /(?:25){0,8}[0-9a-f]{2}/iy;

/** Everything in a text that the copy changes, in the order of the text; no two overlap. */
export function referencesIn(text: string, lexicon: RewriteRules): Reference[] {
  const ids = text.includes('-') ? idsIn(text, lexicon) : [];
  const hosts = lexicon.hostnames.size > 0 && text.includes('.') ? hostsIn(text, lexicon) : [];
  if (hosts.length === 0) return ids;
  const all = [...ids, ...withOrigins(text, hosts, ids)].sort(
    (one, other) => one.start - other.start || other.end - one.end,
  );
  let end = 0;
  return all.filter((reference) => {
    if (reference.start < end) return false;
    end = reference.end;
    return true;
  });
}

/** `isFile`: the address of one, which without its host leads to it wherever the copy is shown. */
type Found = Reference & { isFile?: boolean };

const ORIGIN = new RegExp(`(?:https?(?::|%(?:25){0,8}3a))?(?:${SLASH}){2}$`, 'i');
const ORIGIN_LENGTH_MAX = 80;
/** With the dot of a name that is complete. */
const PORT = /\.?(?::\d{1,5})?/y;
/** Between a host and a file's key. */
const PATH = /^[^\s"'`<>(){}[\]|^,;?#]{1,60}$/;
const PATH_LENGTH_MAX = 60;

/** The references to hosts, in order; those in addresses of files that the copy has reach over all that is before the path. */
function withOrigins(text: string, hosts: readonly Reference[], found: readonly Found[]): Reference[] {
  const files = found.filter(({ isFile, to }) => isFile && to !== null);
  let next = 0;
  return hosts.map((host) => {
    while (next < files.length && (files[next]?.start ?? 0) < host.end) next++;
    const file = files[next];
    PORT.lastIndex = host.end;
    const end = host.end + (PORT.exec(text)?.[0].length ?? 0);
    if (file === undefined || file.start - end > PATH_LENGTH_MAX || !PATH.test(text.slice(end, file.start)))
      return host;
    const before = ORIGIN.exec(text.slice(Math.max(0, host.start - ORIGIN_LENGTH_MAX), host.start));
    return before === null ? host : { start: host.start - before[0].length, end, to: '' };
  });
}

function idsIn(text: string, lexicon: RewriteRules): Found[] {
  const found: Found[] = [];
  ANY_ID.lastIndex = 0;
  for (let match = ANY_ID.exec(text); match !== null; match = ANY_ID.exec(text)) {
    const [spelled] = match;
    const start = match.index;
    const end = start + spelled.length;
    const address = addressAt(text, end, { id: idOf(spelled), lexicon });
    const to = address?.to ?? lexicon.ids.get(idOf(spelled));
    if (address === undefined && to !== undefined) found.push({ start, end, to: to && like(spelled, to) });
    else if (address !== undefined && address.to !== 'kept') {
      found.push({ start, end: address.end, to: address.to, isFile: true });
    }
    // What is no reference may overlap one: its last digits with the first ones of another id.
    ANY_ID.lastIndex = address?.end ?? (to === undefined ? start + 1 : end);
  }
  return found;
}

/** An asset's address, `<organization>/<page>/<asset>.<extension>`, of which the organization ends here. */
function addressAt(text: string, end: number, { id, lexicon }: { id: string; lexicon: RewriteRules }) {
  if (id !== lexicon.orgId) return undefined;
  REST_OF_KEY.lastIndex = end;
  const match = REST_OF_KEY.exec(text);
  if (match === null) return undefined;
  const [whole, slash = '', , nextSlash = '', asset = '', extension = ''] = match;
  const known = lexicon.assets.get(idOf(asset));
  if (known === undefined && (lexicon.isSameOrganization || extension === '')) return undefined;
  if (!known) return { end: end + whole.length, to: null };
  // The extension stays where it is; what follows the id may also be another reference.
  const idEnd = end + whole.length - extension.length;
  if (known === 'kept') return { end: idEnd, to: known };
  const [orgId, pageId, assetId] = known;
  return { end: idEnd, to: `${orgId}${slash}${pageId}${nextSlash}${assetId}` };
}

const idOf = (spelled: string): string =>
  (spelled.startsWith('\\') ? `${spelled.charAt(2)}${spelled.slice(4)}` : spelled).toLowerCase();

/** The id in the spelling of the one that it replaces. */
const like = (spelled: string, id: string): string =>
  spelled.startsWith('\\') && /^[0-9]/.test(id) ? `\\3${id.charAt(0)} ${id.slice(1)}` : id;

function hostsIn(text: string, { hostnames }: RewriteRules): Reference[] {
  const found: Reference[] = [];
  for (const match of text.matchAll(HOST_RUN)) {
    const start = match.index + encodedBefore(text, match.index);
    const end = match.index + match[0].length;
    const run = text.slice(start, end);
    const host = withoutDots(run);
    if (hostnames.has(host.toLowerCase())) {
      const from = start + run.indexOf(host);
      found.push({ start: from, end: from + host.length, to: null });
    }
  }
  return found;
}

/** In `%2Fexample.com`, the host begins behind the two digits. */
function encodedBefore(text: string, at: number): number {
  if (text[at - 1] !== '%') return 0;
  ENCODED_BYTE.lastIndex = at;
  return ENCODED_BYTE.exec(text)?.[0].length ?? 0;
}

function withoutDots(run: string): string {
  let [start, end] = [0, run.length];
  while (run[start] === '.') start++;
  while (end > start && run[end - 1] === '.') end--;
  return run.slice(start, end);
}
