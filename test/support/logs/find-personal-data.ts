import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { REQUEST_ID } from '../http.ts';

/**
 * A text is split into pieces of this length, and counts as logged if a line contains one of its pieces. A shorter text
 * is one piece.
 */
const PIECE_CHARACTERS = 8;
/** Texts with fewer characters are ignored. */
const TEXT_CHARACTERS_MIN = 6;

/** Fields with ids that are logged deliberately, to find related lines and records. */
const IDS: ReadonlySet<string> = new Set(['requestId', 'orgId', 'funnelId', 'pageId', 'callId', 'domainId', 'uuid']);
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Ids in the text of a message, such as "the call 01901bc4-…". They are also logged deliberately. */
const NAMED_IDS = /\b(?:organization|funnel|page|call|domain|file|upload) [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g;
/** Origins of stand-ins. They are ignored, because a port can contain the same digits as a number in a request. */
const LOCAL_ORIGINS = /\bhttps?:\/\/127\.0\.0\.1:\d+/g;

/** Finds the texts, or pieces of them, in log lines. Ignores pieces that the source code of the functions contains. */
export function findPersonalData(lines: readonly string[], texts: Iterable<string>): string[] {
  const logged = loggedTexts(lines);
  if (logged === '') return [];
  const pieces = new Set<string>();
  for (let at = 0; at + PIECE_CHARACTERS <= logged.length; at++) pieces.add(logged.slice(at, at + PIECE_CHARACTERS));
  const found = new Set<string>();
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      if (piece.length === PIECE_CHARACTERS ? pieces.has(piece) : logged.includes(piece)) found.add(piece);
    }
  }
  return [...found].filter((piece) => !sourceText().includes(piece));
}

function* piecesOf(text: string): Generator<string> {
  if (text.length < PIECE_CHARACTERS) {
    if (text.length >= TEXT_CHARACTERS_MIN) yield text;
    return;
  }
  for (let at = 0; at + PIECE_CHARACTERS <= text.length; at += PIECE_CHARACTERS)
    yield text.slice(at, at + PIECE_CHARACTERS);
  yield text.slice(-PIECE_CHARACTERS);
}

/** Returns the names and values in the lines. Removes repetitions, because most lines differ only in the request id. */
function loggedTexts(lines: readonly string[]): string {
  const texts = new Set<string>();
  for (const line of lines.flatMap((one) => one.split('\n'))) {
    try {
      for (const text of saidIn(z.looseObject({}).parse(JSON.parse(line)))) texts.add(text);
    } catch {
      texts.add(line);
    }
  }
  return [...texts].join('\n');
}

function* saidIn(line: object): Generator<string> {
  for (const [name, value] of Object.entries(line)) {
    yield name;
    if (typeof value === 'object' && value !== null) yield* name === '_aws' ? [] : saidIn(value);
    else if (!isMeant(name, value))
      yield withoutFrames(String(value)).replace(NAMED_IDS, '').replace(LOCAL_ORIGINS, '');
  }
}

/** Whether a value is logged deliberately, namely the service name or an id in a field that `IDS` lists. */
const isMeant = (name: string, value: unknown): boolean =>
  name === 'service' || (IDS.has(name) && (UUID.test(String(value)) || REQUEST_ID.test(String(value))));

const withoutFrames = (stack: string): string => stack.replace(/^ {4}at .*$/gm, '');

let source: string | undefined;

function sourceText(): string {
  const root = join(import.meta.dirname, '..', '..', '..');
  source ??= ['functions', 'shared']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
  return source;
}
