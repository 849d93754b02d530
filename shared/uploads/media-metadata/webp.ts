import { hasMagicBytes } from '../content/iso-boxes.ts';
import { stripExifLocation } from './exif.ts';

/** Chunks that a picture is drawn by (WebP container specification). */
const DRAWN_BY: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** Readers skip chunks that they do not know. */
const BLANK = 'blNk';
const HEADER_BYTES = 12;
const XMP_FLAG = 0x04;
const EXIF_HEADER = 'Exif\0\0';

/**
 * Takes the place out of a WebP, in place and without a byte more or less: Exif is cleaned; chunks that it is not
 * drawn by (XMP) and whatever lies behind its end become zeros.
 *
 * @returns false when it can't be read as a WebP
 */
export function stripWebpLocation(bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return false;
  let at = HEADER_BYTES;
  while (at + 8 <= end) {
    const contentEnd = at + 8 + bytes.readUInt32LE(at + 4);
    if (contentEnd > end) return false;
    const type = bytes.toString('latin1', at, at + 4);
    const content = bytes.subarray(at + 8, contentEnd);
    if (type === 'VP8X' && content.length > 0) content.writeUInt8(content.readUInt8(0) & ~XMP_FLAG, 0);
    if (type === 'EXIF') stripExifLocation(hasMagicBytes(content, EXIF_HEADER) ? content.subarray(6) : content);
    else if (!DRAWN_BY.has(type)) {
      bytes.write(BLANK, at, 'latin1');
      content.fill(0);
    }
    at = contentEnd + (contentEnd % 2);
  }
  bytes.fill(0, end);
  return at > HEADER_BYTES;
}
