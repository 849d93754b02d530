/** A part of a text in which a reference that is cleared takes more with it than itself. */
export type Region = { start: number; end: number };
export type Attribute = Region & { name: string; isQuoted: boolean };

const URL_OPEN = /\burl\(\s*/gi;
/** CSS Syntax Level 3: what a URL without quotes can hold. */
const BARE = /[^\s"'()<>]*/y;
const QUOTES = `"'`;

/** What stands within each `url(…)` of a style sheet, without its quotes. */
export function cssUrlsIn(text: string): Region[] {
  const found: Region[] = [];
  URL_OPEN.lastIndex = 0;
  for (let match = URL_OPEN.exec(text); match !== null; match = URL_OPEN.exec(text)) {
    const at = URL_OPEN.lastIndex;
    const quote = text.charAt(at);
    const isQuoted = quote !== '' && QUOTES.includes(quote);
    const start = isQuoted ? at + 1 : at;
    const end = isQuoted ? endOfString(text, start, quote) : run(BARE, text, start);
    found.push({ start, end });
    URL_OPEN.lastIndex = end;
  }
  return found;
}

/** A string of a style sheet ends with its line, if not before. */
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

/** The values of all attributes of all tags of an HTML text, without their quotes; bounded work for any text. */
export function attributesIn(html: string): Attribute[] {
  const found: Attribute[] = [];
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    at = /[a-z]/i.test(html.charAt(at + 1)) ? readTag(html, at + 1, found) : at + 1;
  }
  return found;
}

/** @returns where the tag ends */
function readTag(html: string, start: number, into: Attribute[]): number {
  let at = run(TAG_NAME, html, start);
  while (true) {
    at = run(BETWEEN, html, at);
    if (at >= html.length || html[at] === '>') return at;
    const nameEnd = run(NAME, html, at);
    const name = html.slice(at, nameEnd).toLowerCase();
    at = run(SPACE, html, nameEnd);
    if (html[at] !== '=') continue;
    at = readValue(html, run(SPACE, html, at + 1), { name, into });
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
  const end = run(UNQUOTED, html, at);
  into.push({ name, isQuoted: false, start: at, end });
  return end;
}

/** Where the run of an expression's characters ends that begins here. */
function run(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return at + (expression.exec(text)?.[0].length ?? 0);
}

export type Candidate = Region & { descriptor: string };

const SEPARATORS = /[\s,]*/y;
const NOT_SPACE = /[^\s]*/y;
const DESCRIPTORS = /[^,]*/y;

/** The candidates of a `srcset` (HTML 4.8.4.2.1), with their descriptors. */
export function candidatesIn(text: string, { start, end }: Region): Candidate[] {
  const srcset = text.slice(0, end);
  const found: Candidate[] = [];
  for (let at = run(SEPARATORS, srcset, start); at < end; at = run(SEPARATORS, srcset, at)) {
    const from = at;
    const urlEnd = run(NOT_SPACE, srcset, at);
    at = urlEnd;
    if (srcset[urlEnd - 1] !== ',') at = run(DESCRIPTORS, srcset, urlEnd);
    found.push({ start: from, end: at, descriptor: srcset.slice(urlEnd, at).trim() });
  }
  return found;
}
