import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { REQUEST_ID } from '../http.ts';

/** As much of a longer text is enough to tell whose it is; shorter ones could be anybody's. */
const TELLING = 8;
const SHORTEST = 6;

/** Fields whose ids are meant to lead from one line to others, and to what is stored. */
const IDS: ReadonlySet<string> = new Set(['requestId', 'orgId', 'funnelId', 'pageId', 'callId', 'domainId', 'uuid']);
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * What of the texts stands in log lines: whole, or a piece of it. What the source of the functions says itself tells of
 * nobody, whoever sent it as well.
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

/** Names and values on the lines, each once: most lines differ by the request's id alone. */
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

/** The service's name comes from its environment, as a bucket's does, which stands in links. */
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
