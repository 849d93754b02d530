/**
 * Splits a JSON object into its keys and the JSON text of each value. The values are not parsed, because parsing and
 * printing can change a number (20 digits, 1e400, 1.0). The text must be valid JSON, because this function does not
 * validate it. If a key is repeated, its last value is used, as in `JSON.parse`.
 */
export function parseRawProperties(objectText: string): Map<string, string> {
  const properties = new Map<string, string>();
  let at = skipSpace(objectText, objectText.indexOf('{') + 1);
  while (objectText[at] === '"') {
    const keyEnd = endOfString(objectText, at);
    const start = skipSpace(objectText, skipSpace(objectText, keyEnd) + 1);
    const end = endOfValue(objectText, start);
    properties.set(String(JSON.parse(objectText.slice(at, keyEnd))), objectText.slice(start, end));
    at = skipSpace(objectText, end);
    if (objectText[at] === ',') at = skipSpace(objectText, at + 1);
  }
  return properties;
}

/** Combines properties into the text of a JSON object. */
export function stringifyRawProperties(properties: Iterable<readonly [string, string]>): string {
  return `{${Array.from(properties, ([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

/**
 * Removes escaped NUL characters (`\u0000`), as the parser of request bodies does. Keeps `\\u0000`, which is an escaped
 * backslash and the text `u0000`. Also replaces unescaped lone surrogates, because UTF-8 cannot represent them.
 */
export function sanitizeJsonText(json: string): string {
  const withoutNul = json.includes('\\u0000')
    ? json.replace(/\\(?:u0000|.)/g, (pair) => (pair === '\\u0000' ? '' : pair))
    : json;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/**
 * Finds the end of a string.
 *
 * @param from index of the opening quote
 * @returns the index after the closing quote
 */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return endOfString(text, from);
  if (first === '{' || first === '[') return endOfContainer(text, from);
  let at = from;
  while (at < text.length && !',}] \n\r\t'.includes(text.charAt(at))) at++;
  return at;
}

function endOfContainer(text: string, from: number): number {
  let depth = 0;
  let at = from;
  do {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    // Setting this bit turns `[` into `{`, and `]` into `}`, so that one comparison finds both.
    if ((code | 0x20) === 0x7b) depth++;
    else if ((code | 0x20) === 0x7d) depth--;
    at++;
  } while (depth > 0 && at < text.length);
  return at;
}
