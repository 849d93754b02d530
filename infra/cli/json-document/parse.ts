import { isUtf8 } from 'node:buffer';
import { type Node, type ParseError, type ParseErrorCode, parseTree, printParseErrorCode } from 'jsonc-parser';

/** Maximum size of a handwritten file in bytes, including white space. */
export const FILE_BYTES_MAX = 1_000_000;
/** Maximum nesting depth, the same as for JSON bodies of the API. */
const DEPTH_MAX = 32;

type TextIssue = { offset: number; message: string };

export type JsonDocument = {
  /** The text without the byte order mark; empty if the file is empty, too large or not UTF-8. */
  text: string;
  issues: TextIssue[];
  /** Absent if the text without its comments is not valid JSON, or if it is nested too deeply. */
  json?: { tree: Node; value: unknown };
};

/** Parses the bytes of a file as JSON and reports its issues. A comment is an issue, and is otherwise ignored. */
export function parseJsonDocument(bytes: Uint8Array): JsonDocument {
  if (bytes.length > FILE_BYTES_MAX) {
    return refused(`The file is larger than ${FILE_BYTES_MAX.toLocaleString('en')} bytes`);
  }
  if (!isUtf8(bytes)) return refused('The file is not UTF-8: save it in this encoding');
  // The decoder removes a byte order mark.
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return refused('The file is empty');
  const tooDeep = depthIssue(text);
  return tooDeep === undefined ? parsed(text) : { text, issues: [tooDeep] };
}

const refused = (message: string): JsonDocument => ({ text: '', issues: [{ offset: 0, message }] });

function parsed(text: string): JsonDocument {
  const issues: TextIssue[] = [];
  // Comments are replaced with spaces, because removing them would shift the positions after a comment.
  const bare = text.replace(TOKENS, (token, offset: number) => {
    if (!token.startsWith('/')) return token;
    issues.push({ offset, message: 'JSON has no comments: remove this comment' });
    return token.replace(/[^\r\n]/g, ' ');
  });
  const errors: ParseError[] = [];
  const tree = parseTree(bare, errors, { allowTrailingComma: false, disallowComments: true });
  for (const { error, offset } of errors) issues.push({ offset, message: sentence(error) });
  if (tree === undefined || errors.length > 0) return { text, issues };
  try {
    return { text, issues, json: { tree, value: JSON.parse(bare) } };
  } catch {
    return { text, issues: [...issues, { offset: 0, message: 'This is not JSON' }] };
  }
}

/** Matches strings, comments and brackets. A string without a closing quote ends with its line. */
const TOKENS = /"(?:\\.|[^"\\\r\n])*"?|\/\/[^\r\n]*|\/\*.*?(?:\*\/|$)|[[\]{}]/gs;

/** Checks the nesting depth. Deep nesting would overflow the stack of the recursive parsers. */
function depthIssue(text: string): TextIssue | undefined {
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(TOKENS)) {
    if (found === '[' || found === '{') depth++;
    if (found === ']' || found === '}') depth--;
    if (depth > DEPTH_MAX) return { offset: index, message: `The nesting is deeper than ${DEPTH_MAX} levels here` };
  }
  return undefined;
}

const SENTENCES: Record<string, string> = {
  InvalidSymbol: 'This is not a JSON value: write a string in double quotes, a number, true, false or null',
  InvalidNumberFormat: 'This is not a valid JSON number',
  PropertyNameExpected: 'A property name in double quotes is missing here, or the preceding comma is not needed',
  ValueExpected: 'A value is missing here, or the preceding comma is not needed',
  ColonExpected: 'A colon is missing here',
  CommaExpected: 'A comma is missing here',
  CloseBraceExpected: 'A } is missing here',
  CloseBracketExpected: 'A ] is missing here',
  EndOfFileExpected: 'The file must end here: it can contain only one JSON value',
  UnexpectedEndOfString: 'This string has no closing quote on its line',
  UnexpectedEndOfNumber: 'This number is incomplete',
  InvalidUnicode: '\\u must be followed by four hexadecimal digits',
  InvalidEscapeCharacter: '\\ must be followed by one of " \\ / b f n r t u',
  InvalidCharacter: 'This character is not allowed in a string: write a tab as \\t, a new line as \\n',
};

const sentence = (code: ParseErrorCode): string => SENTENCES[printParseErrorCode(code)] ?? 'This is not JSON';
