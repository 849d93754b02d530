import { normalizeText } from '../platform/normalize-text.ts';

/** As much as file systems take. */
const NAME_MAX = 255;
const EXTENSION_MAX = 12;
const UNNAMED = 'file';

/** Names of devices on Windows, which open the device in place of a file. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;
/** Control and formatting characters, which hide what a name ends with; joiners that scripts and emoji need stay. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;
/** A run is looked at from its first character only: else the time is quadratic in its length. */
const EDGES = /^[\s.]+|(?<![\s.])[\s.]+$/gu;
const UNSAFE = /["*:<>?|]/g;

/**
 * A file's name as people may see it: the last part of a path, letters of all scripts, NFC, at most 255 characters and
 * 255 bytes with its extension kept. It names no object and is no part of a key.
 */
export function sanitizeFileName(sent: string): string {
  // As browsers escape these in a form (WHATWG HTML, multipart/form-data encoding).
  const name = normalizeText(sent.toWellFormed().replace(/%22|%0d|%0a/gi, '_'))
    .replace(/^.*[/\\]/su, '')
    .replace(INVISIBLE, '')
    .replace(UNSAFE, '_')
    .replace(/\s+/gu, ' ')
    .replace(EDGES, '');
  return truncateToNameMax(name === '' ? UNNAMED : name.replace(RESERVED, '_$&'));
}

/** Cut between characters, before the extension. */
function truncateToNameMax(name: string): string {
  if (Buffer.byteLength(name) <= NAME_MAX) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= EXTENSION_MAX ? name.slice(dot) : '';
  let room = NAME_MAX - Buffer.byteLength(extension);
  let stem = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem.trimEnd() + extension;
}
