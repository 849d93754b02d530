/** A part of a text, from `start` up to but not including `end`. */
export type Region = { start: number; end: number };
export type Attribute = Region & { name: string; isQuoted: boolean };

const URL_OPEN = /\burl\(\s*/gi;
/** An unquoted URL (CSS Syntax Level 3). */
const BARE = /[^\s"'()<>]*/y;
const QUOTES = `"'`;

/** Finds the URL within each `url(…)` of a style sheet, without quotes. */
export function findCssUrls(text: string): Region[] {
  const found: Region[] = [];
  URL_OPEN.lastIndex = 0;
  for (let match = URL_OPEN.exec(text); match !== null; match = URL_OPEN.exec(text)) {
    const at = URL_OPEN.lastIndex;
    const quote = text.charAt(at);
    const isQuoted = quote !== '' && QUOTES.includes(quote);
    const start = isQuoted ? at + 1 : at;
    const end = isQuoted ? endOfString(text, start, quote) : matchEnd(BARE, text, start);
    found.push({ start, end });
    URL_OPEN.lastIndex = end;
  }
  return found;
}

/**
 * Returns the index at which a string in a style sheet ends: at its closing quote, at the first line break that no
 * backslash precedes, or at the end of the text.
 */
function endOfString(text: string, start: number, quote: string): number {
  let at = start;
  while (at < text.length && text[at] !== quote && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

const TAG_NAME = /[^\s/>]*/y;
const BETWEEN = /[\s/]*/y;
const SPACE = /\s*/y;
const NAME = /=?[^\s/>=]*/y;
const UNQUOTED = /[^\s>]*/y;

/** Finds the values of all attributes of an HTML text, without quotes. Takes linear time, even for invalid HTML. */
export function findAttributes(html: string): Attribute[] {
  const found: Attribute[] = [];
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    at = /[a-z]/i.test(html.charAt(at + 1)) ? readTag(html, at + 1, found) : at + 1;
  }
  return found;
}

/** @returns the index of the `>` that ends the tag; the length of the text if the tag has no end */
function readTag(html: string, start: number, into: Attribute[]): number {
  let at = matchEnd(TAG_NAME, html, start);
  while (true) {
    at = matchEnd(BETWEEN, html, at);
    if (at >= html.length || html[at] === '>') return at;
    const nameEnd = matchEnd(NAME, html, at);
    const name = html.slice(at, nameEnd).toLowerCase();
    at = matchEnd(SPACE, html, nameEnd);
    if (html[at] !== '=') continue;
    at = readValue(html, matchEnd(SPACE, html, at + 1), { name, into });
  }
}

function readValue(html: string, at: number, { name, into }: { name: string; into: Attribute[] }): number {
  const quote = html.charAt(at);
  if (quote !== '' && QUOTES.includes(quote)) {
    const close = html.indexOf(quote, at + 1);
    const end = close === -1 ? html.length : close;
    into.push({ name, isQuoted: true, start: at + 1, end });
    return end + 1;
  }
  const end = matchEnd(UNQUOTED, html, at);
  into.push({ name, isQuoted: false, start: at, end });
  return end;
}

/** Matches a sticky expression at `at`. Returns the index after the match, or `at` if nothing matches. */
function matchEnd(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return at + (expression.exec(text)?.[0].length ?? 0);
}

export type Candidate = Region & { descriptor: string };

const SEPARATORS = /[\s,]*/y;
const NOT_SPACE = /[^\s]*/y;
const DESCRIPTORS = /[^,]*/y;

/** Returns the candidates of a `srcset` (HTML 4.8.4.2.1), with their descriptors. */
export function parseSrcset(text: string, { start, end }: Region): Candidate[] {
  const srcset = text.slice(0, end);
  const found: Candidate[] = [];
  for (let at = matchEnd(SEPARATORS, srcset, start); at < end; at = matchEnd(SEPARATORS, srcset, at)) {
    const from = at;
    const urlEnd = matchEnd(NOT_SPACE, srcset, at);
    at = urlEnd;
    if (srcset[urlEnd - 1] !== ',') at = matchEnd(DESCRIPTORS, srcset, urlEnd);
    found.push({ start: from, end: at, descriptor: srcset.slice(urlEnd, at).trim() });
  }
  return found;
}
