import type { RewriteRules } from './references.ts';
import { rewriteText } from './rewrite-text.ts';

/** Editors put JSON into strings of JSON; deeper than this it is read as text. */
const NESTED_MAX = 4;
const QUOTE_OR_ESCAPE = /["\\]/g;
const COLON_NEXT = /\s*:/y;
const LOOKS_LIKE_JSON = /^\s*[[{]/;
/** Every reference has one of these, or an escape behind which they can hide. */
const MAY_REFER = /[-.\\]/;

/**
 * A JSON text with the references in its strings and keys rewritten, at any depth. All else stays as it is, byte for
 * byte: numbers are not read, keys not given a meaning. A value that was nothing but a cleared reference becomes null, such a
 * key the empty one.
 */
export function rewriteJson(json: string, lexicon: RewriteRules, depth = 0): string {
  const parts: string[] = [];
  let at = 0;
  for (let open = json.indexOf('"'); open !== -1; open = json.indexOf('"', at)) {
    const close = closingQuote(json, open + 1);
    const token = json.slice(open, close + 1);
    COLON_NEXT.lastIndex = close + 1;
    const isKey = COLON_NEXT.test(json);
    parts.push(betweenTokens(json.slice(at, open), lexicon), rewriteToken(token, { lexicon, depth, isKey }));
    at = close + 1;
  }
  return parts.join('') + betweenTokens(json.slice(at), lexicon);
}

/** In JSON nothing can refer there; in what is none, it is rewritten all the same. */
const betweenTokens = (text: string, lexicon: RewriteRules): string =>
  MAY_REFER.test(text) ? (rewriteText(text, lexicon) ?? '') : text;

/** The end of the text where there is none. */
function closingQuote(json: string, from: number): number {
  QUOTE_OR_ESCAPE.lastIndex = from;
  for (let match = QUOTE_OR_ESCAPE.exec(json); match !== null; match = QUOTE_OR_ESCAPE.exec(json)) {
    if (match[0] === '"') return match.index;
    QUOTE_OR_ESCAPE.lastIndex++;
  }
  return json.length;
}

type Place = { lexicon: RewriteRules; depth: number; isKey: boolean };

function rewriteToken(token: string, { lexicon, depth, isKey }: Place): string {
  if (!MAY_REFER.test(token)) return token;
  const text = textOf(token);
  // No token of JSON: what it holds is rewritten as it stands there.
  if (text === undefined) return rewriteText(token, lexicon) ?? '""';
  const isNested = depth < NESTED_MAX && LOOKS_LIKE_JSON.test(text) && parsed(text) !== undefined;
  const rewritten = isNested ? rewriteJson(text, lexicon, depth + 1) : rewriteText(text, lexicon);
  if (rewritten === text) return token;
  return rewritten === null && !isKey ? 'null' : JSON.stringify(rewritten ?? '');
}

function textOf(token: string): string | undefined {
  const text = parsed(token);
  return typeof text === 'string' ? text : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
