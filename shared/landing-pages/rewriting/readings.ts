/** A text with some or no levels of escapes decoded. `sourceIndexOf` maps its indexes to the source text. */
export type Reading = { text: string; sourceIndexOf(index: number): number };

/** Maximum number of levels, which limits the work for malicious texts. Real pages have a few levels. */
const LEVELS_MAX = 16;
const MAY_BE_ESCAPED = /[\\%&]/;

const REPEATED_PERCENT = '%(?:25)*';
const UTF8_TAIL = `${REPEATED_PERCENT}[89ab][0-9a-f]`;
/**
 * The escapes of JSON and JavaScript (`\u002d`, `\x2d`, `\/`), of style sheets (`\2d `), URLs (`%2D`) and HTML
 * (`&#45;`). An escaped escape character (`\\`, `%25`, `&amp;`) is matched together with the characters that follow it.
 * A character that was escaped several times is therefore decoded in one level. Each alternative consumes a whole run
 * of escape characters, so that matching takes linear time.
 */
const ESCAPE = new RegExp(
  [
    String.raw`\\+(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([0-9a-f]{1,6}) ?|([^\\]))?`,
    `(${REPEATED_PERCENT}(?:[0-7][0-9a-f]|[cd][0-9a-f]${UTF8_TAIL}|e[0-9a-f](?:${UTF8_TAIL}){2}|f[0-7](?:${UTF8_TAIL}){3}))`,
    '&(?:amp;|#0{0,5}38;|#x0{0,5}26;)*(?:#([0-9]{1,7});?|#x([0-9a-f]{1,6});?|([a-z]{2,6});)?',
  ].join('|'),
  'gi',
);
const CONTROL: Record<string, string> = { n: '\n', r: '\r', t: '\t', v: '\v' };
const ENTITIES: Record<string, string> = {
  amp: '&',
  apos: "'",
  colon: ':',
  comma: ',',
  equals: '=',
  gt: '>',
  lowbar: '_',
  lt: '<',
  nbsp: '\u00a0',
  percnt: '%',
  period: '.',
  quot: '"',
  bsol: '\\',
  sol: '/',
};

/**
 * Returns the text as it is, then the text after each level of decoding. Stops when no escape is left or `LEVELS_MAX`
 * is reached.
 */
export function readingsOf(source: string): Reading[] {
  const readings: Reading[] = [{ text: source, sourceIndexOf: (index) => index }];
  for (let last = readings[0]; last !== undefined && readings.length <= LEVELS_MAX; ) {
    last = MAY_BE_ESCAPED.test(last.text) ? decodeOneLevel(last) : undefined;
    if (last !== undefined) readings.push(last);
  }
  return readings;
}

/** Returns undefined if the text has no escape. */
function decodeOneLevel({ text, sourceIndexOf }: Reading): Reading | undefined {
  const parts: string[] = [];
  // Start indexes of each escape and of each part between escapes: `starts` in the decoded text, `originals` in `text`.
  const starts = [0];
  const originals = [0];
  let [length, at] = [0, 0];
  for (const match of text.matchAll(ESCAPE)) {
    const decoded = decode(match);
    if (decoded === undefined || decoded === match[0]) continue;
    parts.push(text.slice(at, match.index), decoded);
    const start = length + match.index - at;
    at = match.index + match[0].length;
    length = start + decoded.length;
    starts.push(start, length);
    originals.push(match.index, at);
  }
  if (at === 0) return undefined;
  parts.push(text.slice(at));
  return {
    text: parts.join(''),
    sourceIndexOf: (index) => {
      const run = lastAtMost(starts, index);
      return sourceIndexOf((originals[run] ?? 0) + index - (starts[run] ?? 0));
    },
  };
}

/** Returns undefined if the match is not an escape. */
function decode([matched, hex4, hexBraces, hex2, hexCss, single, percent, decimal, hexEntity, name]: RegExpMatchArray) {
  const hex = hex4 ?? hexBraces ?? hex2 ?? hexCss ?? hexEntity;
  if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
  if (decimal !== undefined) return characterOf(Number(decimal));
  if (single !== undefined) return CONTROL[single] ?? single;
  if (percent !== undefined) return decodeUtf8(percent);
  if (name !== undefined) return ENTITIES[name.toLowerCase()];
  return matched.startsWith('&') ? '&' : undefined;
}

const characterOf = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

function decodeUtf8(percent: string): string | undefined {
  try {
    return decodeURIComponent(percent.replace(/%(?:25)+(?=[0-9a-f]{2})/gi, '%'));
  } catch {
    return undefined;
  }
}

/** Returns the index of the last number that is at most `value`. @param sorted ascending, beginning with 0 */
function lastAtMost(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
