import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { REQUEST_ID } from '../http.ts';

/** Pieces of this length identify a longer text. Shorter texts down to SHORTEST are compared as a whole. */
const TELLING = 8;
const SHORTEST = 6;

/** Fields with ids that are logged deliberately, to find related lines and records. */
const IDS: ReadonlySet<string> = new Set(['requestId', 'orgId', 'funnelId', 'pageId', 'callId', 'domainId', 'uuid']);
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Finds the texts, or pieces of them, that log lines contain. Pieces that the functions' source code contains don't
 * count.
 */
export function findPersonalData(lines: readonly string[], texts: Iterable<string>): string[] {
  const logged = loggedTexts(lines);
  if (logged === '') return [];
  const pieces = new Set<string>();
  for (let at = 0; at + TELLING <= logged.length; at++) pieces.add(logged.slice(at, at + TELLING));
  const found = new Set<string>();
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      if (piece.length === TELLING ? pieces.has(piece) : logged.includes(piece)) found.add(piece);
    }
  }
  return [...found].filter((piece) => !sourceText().includes(piece));
}

function* piecesOf(text: string): Generator<string> {
  if (text.length < TELLING) {
    if (text.length >= SHORTEST) yield text;
    return;
  }
  for (let at = 0; at + TELLING <= text.length; at += TELLING) yield text.slice(at, at + TELLING);
  yield text.slice(-TELLING);
}

/** The distinct names and values in the lines: most lines differ only in the request id. */
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
    else if (!isMeant(name, value)) yield withoutFrames(String(value));
  }
}

/** The service name is not personal; ids of the listed fields are logged deliberately. */
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
