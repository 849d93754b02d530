/**
 * The members of a JSON object as they were sent: key and the value's own text. Undeclared data is stored as this
 * text, because a parsed and printed number is not always the same number (20 digits, 1e400, 1.0).
 *
 * One pass over the text. The text must have been parsed before: nothing is checked here. Of a repeated key the last
 * one counts, as for `JSON.parse`.
 */
export function parseRawMembers(objectText: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(objectText, objectText.indexOf('{') + 1);
  while (objectText[at] === '"') {
    const keyEnd = endOfString(objectText, at);
    const start = skipSpace(objectText, skipSpace(objectText, keyEnd) + 1);
    const end = endOfValue(objectText, start);
    members.set(String(JSON.parse(objectText.slice(at, keyEnd))), objectText.slice(start, end));
    at = skipSpace(objectText, end);
    if (objectText[at] === ',') at = skipSpace(objectText, at + 1);
  }
  return members;
}

/** Prints members as one JSON object. */
export function stringifyRawMembers(members: Iterable<readonly [string, string]>): string {
  return `{${Array.from(members, ([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

/**
 * The body's text as storage can hold it: without escaped NUL, and well-formed. (In valid JSON every backslash begins
 * an escape, so taking escapes whole can't mistake `\\u0000`, a backslash followed by text.)
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

/** @param from the opening quote @returns the index after the closing one */
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
    // `[` and `{`, `]` and `}` differ in this bit alone.
    if ((code | 0x20) === 0x7b) depth++;
    else if ((code | 0x20) === 0x7d) depth--;
    at++;
  } while (depth > 0 && at < text.length);
  return at;
}
