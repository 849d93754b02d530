/** The value of a header before its parameters, and the parameters by lower-case name. */
export type HeaderValue = { value: string; parameters: ReadonlyMap<string, string> };

const VALUE = /[^\s;"]+[ \t]*/y;
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*/y;

/** Parses `value; name=token; name="quoted"`. Returns undefined for any other syntax and for repeated parameters. */
export function parseHeaderValue(text: string): HeaderValue | undefined {
  VALUE.lastIndex = 0;
  const [first] = VALUE.exec(text) ?? [];
  if (first === undefined) return undefined;
  const parameters = new Map<string, string>();
  let at = first.length;
  while (at < text.length) {
    PARAMETER.lastIndex = at;
    const [whole, name, quoted, token] = PARAMETER.exec(text) ?? [];
    if (whole === undefined || name === undefined || parameters.has(name.toLowerCase())) return undefined;
    parameters.set(name.toLowerCase(), quoted === undefined ? (token ?? '') : unescaped(quoted));
    at += whole.length;
  }
  return { value: first.trimEnd(), parameters };
}

/** Unescapes only quotes and backslashes, because clients escape nothing else: `C:\photo.jpg` keeps its backslash. */
const unescaped = (quoted: string): string => quoted.replace(/\\(["\\])/g, '$1');
