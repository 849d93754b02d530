import { hasMagicBytes } from '../content/magic-bytes.ts';
import { stripExifLocation } from './exif.ts';

const EXIF = 'Exif\0';
const EXIF_HEADER_BYTES = 6;
/** Segments that decoders need, by marker: JFIF, the color profile, Adobe's color transform. */
const REQUIRED: Record<number, string> = { 224: 'JFIF\0', 226: 'ICC_PROFILE\0', 238: 'Adobe' };

const isApplication = (marker: number): boolean => marker >= 0xe0 && marker <= 0xef;
const isComment = (marker: number): boolean => marker === 0xfe;
const hasNoContent = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/**
 * Removes the location from a JPEG in place, without changing its size. Cleans Exif, and overwrites segments that
 * decoders don't need (XMP, IPTC, maker notes, comments) and all bytes after the image with zeros.
 *
 * @returns false if the bytes can't be parsed as a JPEG
 */
export function stripJpegLocation(bytes: Buffer): boolean {
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff || hasNoContent(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0xd9) {
      bytes.fill(0, at + 2);
      return true;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) return false;
    if (isApplication(marker) || isComment(marker)) cleanSegment(bytes.subarray(at + 4, end), marker);
    at = marker === 0xda ? endOfScan(bytes, end) : end;
  }
  // The file has no end marker, for example because it was truncated. It is accepted, because all its segments are
  // complete and clean.
  return at > 2;
}

function cleanSegment(content: Buffer, marker: number): void {
  if (marker === 0xe1 && hasMagicBytes(content, EXIF)) stripExifLocation(content.subarray(EXIF_HEADER_BYTES));
  else if (!hasMagicBytes(content, REQUIRED[marker] ?? '\0never')) content.fill(0);
}

/**
 * Returns the offset of the next marker after a scan. Within a scan, 0xff is followed by zero, a restart marker or
 * 0xff.
 */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next !== undefined && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}
