import { hasMagicBytes } from '../content/magic-bytes.ts';
import { stripExifLocation } from './exif.ts';

/** Chunks that decoders need (WebP container specification). */
const REQUIRED: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** Type of the overwritten chunks. Readers skip chunks of an unknown type. */
const BLANK = 'blNk';
const HEADER_BYTES = 12;
const XMP_FLAG = 0x04;
const EXIF_HEADER = 'Exif\0\0';

/**
 * Removes the location from a WebP in place, without changing its size. Calls `stripExifLocation` for the Exif chunk.
 * Fills the chunks that decoders don't need, such as XMP, and all bytes after the image with zeros.
 *
 * @returns false if the bytes can't be parsed as a WebP; some bytes may have been changed then
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
    else if (!REQUIRED.has(type)) {
      bytes.write(BLANK, at, 'latin1');
      content.fill(0);
    }
    at = contentEnd + (contentEnd % 2);
  }
  bytes.fill(0, end);
  return at > HEADER_BYTES;
}
