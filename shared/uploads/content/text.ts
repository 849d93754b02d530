import { isUtf8 } from 'node:buffer';
import { hasMagicBytes } from './magic-bytes.ts';

const HEAD_CHARACTERS = 64;
/** Bytes that Windows-1252 does not define. */
const UNDEFINED_1252: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
/** The byte order mark in UTF-8. */
const UTF8_MARK = '\u00ef\u00bb\u00bf';
/** Bytes that browsers skip before they look for markup. */
const WHITE_SPACE: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x20]);
const CONTROLS_IN_TEXT: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a]);

/**
 * Whether the bytes are text without NUL. Text that begins as markup or as a script is not accepted. Accepts UTF-8,
 * UTF-16 with a byte order mark, and Windows-1252, in which spreadsheet programs still export CSV.
 *
 * @param whole false for the first bytes of a file, which may end within a character
 */
export function isText(bytes: Buffer, whole: boolean): boolean {
  const text = decodedHead(bytes, whole);
  return text !== undefined && !/^\s*<|^#!/.test(text);
}

/**
 * Returns the first characters without byte order mark and leading white space, or undefined if the bytes are not text.
 */
function decodedHead(bytes: Buffer, whole: boolean): string | undefined {
  const utf16 = utf16Label(bytes);
  if (utf16 !== undefined) return utf16Head(bytes, utf16, whole);
  if (bytes.includes(0)) return undefined;
  const text = bytes.subarray(hasMagicBytes(bytes, UTF8_MARK) ? UTF8_MARK.length : 0);
  const start = text.findIndex((byte) => !WHITE_SPACE.has(byte));
  const head = text.subarray(start, start + HEAD_CHARACTERS * 4);
  if (isUtf8(whole ? bytes : withoutTruncatedCharacter(bytes))) return new TextDecoder().decode(head).trimStart();
  return isWindows1252(bytes) ? head.toString('latin1').trimStart() : undefined;
}

function utf16Label(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** Decodes in pieces, so that the text of a large file is never in memory as a whole. */
function utf16Head(bytes: Buffer, label: string, whole: boolean): string | undefined {
  const decoder = new TextDecoder(label, { fatal: true });
  let head = '';
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const last = whole && at + PIECE_BYTES >= bytes.length;
      const piece = decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: !last });
      if (piece.includes('\0')) return undefined;
      if (head === '') head = piece.trimStart().slice(0, HEAD_CHARACTERS);
    }
  } catch {
    return undefined;
  }
  return head;
}

const PIECE_BYTES = 64 * 1024;

/** Removes the last character of UTF-8 if it has several bytes, because it may be truncated. */
function withoutTruncatedCharacter(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, Math.max(0, (bytes[end - 1] ?? 0) >= 0xc0 ? end - 1 : bytes.length));
}

/**
 * Whether the bytes look like text in an 8-bit encoding: they are mostly ASCII, and their only control characters are
 * those of text, such as tabs and line breaks. Binary formats hardly ever fulfill both conditions.
 */
function isWindows1252(bytes: Buffer): boolean {
  let beyondAscii = 0;
  for (const byte of bytes) {
    if (byte < 0x20 && !CONTROLS_IN_TEXT.has(byte)) return false;
    if (UNDEFINED_1252.has(byte) || byte === 0x7f) return false;
    if (byte >= 0x80) beyondAscii++;
  }
  return beyondAscii * 3 <= bytes.length;
}
