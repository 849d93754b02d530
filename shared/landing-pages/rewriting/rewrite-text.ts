import { type Attribute, attributesIn, type Candidate, candidatesIn, cssUrlsIn, type Region } from './contexts.ts';
import { type Reference, type RewriteRules, referencesIn } from './references.ts';

type Edit = Region & { to: string };

const DESCRIPTOR = /^(?:\d+(?:\.\d+)?[wxh])?$/;
const SRCSETS: ReadonlySet<string> = new Set(['srcset', 'imagesrcset']);
/** What no URL in a running text holds; a comma more often follows one than stands in it. */
const ENDS_URL = /[\s"'`<>(){}[\]|\\^,;]/;
const ONE_URL = /^\s*[^\s"'`<>(){}[\]|\\^]+\s*$/;
const URL_LIKE = /\/|%2f/i;
const NOTHING_LEFT = /^[\s,]*$/;

/**
 * A text of any kind (style sheet, rich text, address, words) with its references rewritten. One that is cleared takes
 * with it what would be broken without it: the address within `url(…)`, an HTML attribute's value, a candidate of a
 * `srcset`, else the whole address that it is a part of; where it is part of none, it goes alone.
 *
 * @returns null when nothing was in the text but what is cleared
 */
export function rewriteText(text: string, lexicon: RewriteRules): string | null {
  const references = referencesIn(text, lexicon);
  if (references.length === 0) return text;
  const cleared = references.filter(({ to }) => to === null);
  const changed = references.flatMap(({ to, ...place }) => (to === null ? [] : [{ ...place, to }]));
  if (cleared.length === 0) return edited(text, changed);
  if (ONE_URL.test(text) && (URL_LIKE.test(text) || covers(cleared[0], text))) return null;
  const cuts = cutsFor(text, cleared);
  const kept = changed.filter(({ start }) => regionAt(cuts, start) === undefined);
  const rewritten = edited(
    text,
    [...cuts, ...kept].sort((one, other) => one.start - other.start),
  );
  return NOTHING_LEFT.test(rewritten) ? null : rewritten;
}

const covers = (reference: Reference | undefined, text: string): boolean =>
  reference !== undefined && text.slice(reference.start, reference.end) === text.trim();

/** @param edits in order, none over another */
function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, to } of edits) {
    parts.push(text.slice(at, start), to);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** What goes with the references that are cleared, in order; none over another. */
function cutsFor(text: string, cleared: readonly Reference[]): Edit[] {
  const urls = cssUrlsIn(text);
  const attributes = text.includes('<') ? attributesIn(text) : [];
  const candidates = candidatesOf(text, attributes);
  const addresses = addressesOf(text);
  const cuts: Edit[] = [];
  for (const { start, end, ...reference } of cleared) {
    const attribute = regionAt(attributes, start);
    const region =
      regionAt(urls, start) ??
      regionAt(candidates, start) ??
      // A style sheet in an attribute is one like any other.
      (attribute?.name === 'style' ? undefined : attribute) ??
      addresses({ start, end, ...reference });
    const to = region === attribute && !attribute?.isQuoted ? '""' : '';
    const before = cuts.at(-1)?.end ?? 0;
    if (end > before) cuts.push({ start: Math.max(before, region.start), end: Math.max(end, region.end), to });
  }
  return cuts;
}

/** The candidates of every `srcset`; a text that is nothing else is one as a whole. */
function candidatesOf(text: string, attributes: readonly Attribute[]): Region[] {
  const whole = candidatesIn(text, { start: 0, end: text.length });
  if (whole.every(isCandidate) && whole.some(({ descriptor }) => descriptor !== '')) return separated(whole);
  return attributes
    .filter(({ name, isQuoted }) => isQuoted && SRCSETS.has(name))
    .flatMap((region) => separated(candidatesIn(text, region)));
}

const isCandidate = ({ descriptor }: Candidate): boolean => DESCRIPTOR.test(descriptor);

/** Each with what separates it from the next. */
const separated = (candidates: readonly Region[]): Region[] =>
  candidates.map(({ start, end }, index) => ({ start, end: candidates[index + 1]?.start ?? end }));

/** Finds the address that a reference is a part of; each run of characters is looked at once. */
function addressesOf(text: string): (reference: Reference) => Region {
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

/** The region that holds a place. @param regions in order, none over another */
function regionAt<R extends Region>(regions: readonly R[], place: number): R | undefined {
  let [low, high] = [0, regions.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const region = regions[middle];
    if (region === undefined || place < region.start) high = middle - 1;
    else if (place >= region.end) low = middle + 1;
    else return region;
  }
  return undefined;
}
