import { normalizeText } from '../platform/normalize-text.ts';

/** Maximum length of a file name in most file systems, in bytes. */
const NAME_MAX = 255;
const EXTENSION_MAX = 12;
const UNNAMED = 'file';

/** Device names of Windows. Opening a file with such a name opens the device. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;
/**
 * Control, formatting, line separator, private-use and unassigned characters, which can hide the end of a name.
 * Zero-width joiners stay, because some scripts and emoji need them.
 */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;
/**
 * White space and dots at both ends. The lookbehind keeps the time linear: a match begins only at the first of several
 * such characters.
 */
const EDGES = /^[\s.]+|(?<![\s.])[\s.]+$/gu;
const UNSAFE = /["*:<>?|]/g;

/**
 * Makes a file name safe to display. Keeps the last part of a path, normalizes it to NFC, removes or replaces unsafe
 * characters, and shortens the part before the extension until the name has at most 255 bytes. The name is never part
 * of an object key.
 */
export function sanitizeFileName(sent: string): string {
  // Invisible characters are removed first, because NFC does not compose a letter and its combining mark if such a
  // character is between them.
  const visible = sent.toWellFormed().replace(INVISIBLE, '');
  // Browsers send quotes and line breaks in file names as %22, %0D and %0A (WHATWG HTML, multipart/form-data encoding).
  const name = normalizeText(visible.replace(/%22|%0d|%0a/gi, '_'))
    .replace(/^.*[/\\]/su, '')
    .replace(UNSAFE, '_')
    .replace(/\s+/gu, ' ')
    .replace(EDGES, '');
  return truncateToNameMax(name === '' ? UNNAMED : name.replace(RESERVED, '_$&'));
}

/** Shortens the part before the extension, but never splits a code point. */
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
  return stem.replace(EDGES, '') + extension;
}
