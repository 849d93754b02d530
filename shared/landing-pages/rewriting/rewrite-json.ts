import type { RewriteRules } from './references.ts';
import { rewriteText } from './rewrite-text.ts';

/** A string in JSON can contain JSON itself. JSON that is nested in more strings than this is rewritten as text. */
const NESTED_MAX = 4;
const QUOTE_OR_ESCAPE = /["\\]/g;
const COLON_NEXT = /\s*:/y;
const LOOKS_LIKE_JSON = /^\s*[[{]/;
/** Every reference contains a hyphen, a dot or an escape. Escapes begin with a backslash, `%` or `&`. */
const MAY_REFER = /[-.。．｡\\%&]/;

/**
 * Rewrites the references in the strings and keys of a JSON text, at any depth. Strings without references stay
 * unchanged, byte for byte. If nothing is left of a value, the value becomes null. If nothing is left of a key, the key
 * becomes the empty string.
 */
export function rewriteJson(json: string, rules: RewriteRules, depth = 0): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = json.indexOf('"'); open !== -1; open = json.indexOf('"', at)) {
    const close = findClosingQuote(json, open + 1);
    const token = json.slice(open, close + 1);
    COLON_NEXT.lastIndex = close + 1;
    const isKey = COLON_NEXT.test(json);
    parts.push(rewriteBetweenStrings(json.slice(at, open), rules), rewriteString(token, { rules, depth, isKey }));
    at = close + 1;
  }
  return parts.join('') + rewriteBetweenStrings(json.slice(at), rules);
}

/** Rewrites text outside of strings. Text outside of strings contains references only if the JSON is invalid. */
const rewriteBetweenStrings = (text: string, rules: RewriteRules): string =>
  MAY_REFER.test(text) ? (rewriteText(text, rules) ?? '') : text;

/** Returns the index of the closing quote, or the length of the text if no quote closes the string. */
function findClosingQuote(json: string, from: number): number {
  QUOTE_OR_ESCAPE.lastIndex = from;
  for (let match = QUOTE_OR_ESCAPE.exec(json); match !== null; match = QUOTE_OR_ESCAPE.exec(json)) {
    if (match[0] === '"') return match.index;
    QUOTE_OR_ESCAPE.lastIndex++;
  }
  return json.length;
}

type StringContext = { rules: RewriteRules; depth: number; isKey: boolean };

function rewriteString(token: string, { rules, depth, isKey }: StringContext): string {
  if (!MAY_REFER.test(token)) return token;
  const text = parseJson(token);
  if (typeof text !== 'string') return rewriteText(token, rules) ?? '""';
  const isNested = depth < NESTED_MAX && LOOKS_LIKE_JSON.test(text) && parseJson(text) !== undefined;
  const rewritten = isNested ? rewriteJson(text, rules, depth + 1) : rewriteText(text, rules);
  if (rewritten === text) return token;
  return rewritten === null && !isKey ? 'null' : JSON.stringify(rewritten ?? '');
}

/** Returns undefined for invalid JSON. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
