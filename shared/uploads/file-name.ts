import { normalizeText } from '../platform/normalize-text.ts';

/** Most file systems accept no longer name. */
const NAME_MAX = 255;
const EXTENSION_MAX = 12;
const UNNAMED = 'file';

/** Device names of Windows: opening such a file opens the device. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;
/** Control and formatting characters, which can hide the end of a name. Joiners stay: scripts and emoji need them. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;
/** Matches a run from its first character only: otherwise the time is quadratic in its length. */
const EDGES = /^[\s.]+|(?<![\s.])[\s.]+$/gu;
const UNSAFE = /["*:<>?|]/g;

/**
 * A file's name for display: the last part of a path, letters of all scripts, NFC, at most 255 characters and bytes with
 * the extension kept. It is never part of an object key.
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

/** Cuts between two characters, before the extension. */
function truncateToNameMax(name: string): string {
  if (Buffer.byteLength(name) <= NAME_MAX) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= EXTENSION_MAX ? name.slice(dot) : '';
  let bytesLeft = NAME_MAX - Buffer.byteLength(extension);
  let stem = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    bytesLeft -= Buffer.byteLength(character);
    if (bytesLeft < 0) break;
    stem += character;
  }
  return stem.trimEnd() + extension;
}
