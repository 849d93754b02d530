import { type Attribute, type Candidate, findAttributes, findCssUrls, parseSrcset, type Region } from './contexts.ts';
import { type Reference, type RewriteRules, referencesIn } from './references.ts';

type Edit = Region & { to: string };

const DESCRIPTOR = /^(?:\d+(?:\.\d+)?[wxh])?$/;
const SRCSETS: ReadonlySet<string> = new Set(['srcset', 'imagesrcset']);
/** Characters that end a URL in running text. A comma follows a URL more often than it is part of a URL. */
const ENDS_URL = /[\s"'`<>(){}[\]|\\^,;]/;
const ONE_URL = /^\s*[^\s"'`<>(){}[\]|\\^]+\s*$/;
const URL_LIKE = /\/|%2f/i;
const NOTHING_LEFT = /^[\s,]*$/;

/**
 * Rewrites the references in a text of any kind: style sheet, rich text, URL or words. If a reference is cleared, also
 * removes what would be broken without it: the URL within `url(…)`, the value of an HTML attribute, a candidate of a
 * `srcset`, or else the URL that contains the reference. If there is none of these, removes only the reference.
 *
 * @returns null if nothing is left of the text, or only spaces and commas
 */
export function rewriteText(text: string, rules: RewriteRules): string | null {
  const references = referencesIn(text, rules);
  if (references.length === 0) return text;
  const cleared = references.filter(({ to }) => to === null);
  const replaced = references.flatMap(({ to, ...region }) => (to === null ? [] : [{ ...region, to }]));
  if (cleared.length === 0) return applyEdits(text, replaced);
  if (ONE_URL.test(text) && (URL_LIKE.test(text) || covers(cleared[0], text))) return null;
  const cuts = findCuts(text, cleared);
  const kept = replaced.filter(({ start }) => regionAt(cuts, start) === undefined);
  const rewritten = applyEdits(
    text,
    [...cuts, ...kept].sort((one, other) => one.start - other.start),
  );
  return NOTHING_LEFT.test(rewritten) ? null : rewritten;
}

const covers = (reference: Reference | undefined, text: string): boolean =>
  reference !== undefined && text.slice(reference.start, reference.end) === text.trim();

/** @param edits in order, without overlaps */
function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, to } of edits) {
    parts.push(text.slice(at, start), to);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** Returns the regions to remove for the cleared references, in order and without overlaps. */
function findCuts(text: string, cleared: readonly Reference[]): Edit[] {
  const urls = findCssUrls(text);
  const attributes = text.includes('<') ? findAttributes(text) : [];
  const candidates = findSrcsetCandidates(text, attributes);
  const findUrl = createUrlFinder(text);
  const cuts: Edit[] = [];
  for (const { start, end, ...reference } of cleared) {
    const attribute = regionAt(attributes, start);
    const region =
      regionAt(urls, start) ??
      regionAt(candidates, start) ??
      // A style attribute is not cleared as a whole. Like a style sheet, it keeps the rest of its text.
      (attribute?.name === 'style' ? undefined : attribute) ??
      findUrl({ start, end, ...reference });
    const to = region === attribute && !attribute?.isQuoted ? '""' : '';
    const before = cuts.at(-1)?.end ?? 0;
    if (end > before) cuts.push({ start: Math.max(before, region.start), end: Math.max(end, region.end), to });
  }
  return cuts;
}

/**
 * If the whole text is the value of a `srcset`, returns its candidates. Otherwise, returns the candidates of each
 * quoted `srcset` attribute.
 */
function findSrcsetCandidates(text: string, attributes: readonly Attribute[]): Region[] {
  const whole = parseSrcset(text, { start: 0, end: text.length });
  if (whole.every(isCandidate) && whole.some(({ descriptor }) => descriptor !== '')) return withSeparators(whole);
  return attributes
    .filter(({ name, isQuoted }) => isQuoted && SRCSETS.has(name))
    .flatMap((region) => withSeparators(parseSrcset(text, region)));
}

const isCandidate = ({ descriptor }: Candidate): boolean => DESCRIPTOR.test(descriptor);

/** Extends each candidate to the start of the next candidate. */
const withSeparators = (candidates: readonly Region[]): Region[] =>
  candidates.map(({ start, end }, index) => ({ start, end: candidates[index + 1]?.start ?? end }));

/**
 * Creates a function that returns the URL around a reference as a region. If the reference is not in a URL, the
 * function returns the region of the reference. Call the function for references in the order of the text, so that it
 * reads each run of characters once.
 */
function createUrlFinder(text: string): (reference: Reference) => Region {
  let last = { start: 0, end: 0, isUrl: false };
  return ({ start, end }) => {
    if (start >= last.end) {
      const bounds = { start: startOfRun(text, start, last.end), end: endOfRun(text, end) };
      last = { ...bounds, isUrl: URL_LIKE.test(text.slice(bounds.start, bounds.end)) };
    }
    return last.isUrl ? last : { start, end };
  };
}

function startOfRun(text: string, from: number, min: number): number {
  let at = from;
  while (at > min && !ENDS_URL.test(text.charAt(at - 1))) at--;
  return at;
}

function endOfRun(text: string, from: number): number {
  let at = from;
  while (at < text.length && !ENDS_URL.test(text.charAt(at))) at++;
  return at;
}

/** Returns the region that contains `index`. @param regions in order, without overlaps */
function regionAt<R extends Region>(regions: readonly R[], index: number): R | undefined {
  let [low, high] = [0, regions.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const region = regions[middle];
    if (region === undefined || index < region.start) high = middle - 1;
    else if (index >= region.end) low = middle + 1;
    else return region;
  }
  return undefined;
}
