import { crc32 } from 'node:zlib';
import { stripExifLocation } from './exif.ts';

/** Chunks that decoders need (PNG, third edition), including those of animations. */
const REQUIRED: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
);
/** Type of the overwritten chunks. The type is private: readers skip these chunks, and editors may copy them. */
const BLANK = 'blNk';
const SIGNATURE_BYTES = 8;
const FRAME_BYTES = 12;

/**
 * Removes the location from a PNG in place, without changing its size. Cleans Exif, and overwrites chunks that decoders
 * don't need (texts, XMP) and all bytes after the image with zeros.
 *
 * @returns false if the bytes can't be parsed as a PNG
 */
export function stripPngLocation(bytes: Buffer): boolean {
  let at = SIGNATURE_BYTES;
  while (at + FRAME_BYTES <= bytes.length) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, end - 4);
    if (type === 'eXIf') stripExifLocation(content);
    else if (!REQUIRED.has(type)) {
      bytes.write(BLANK, at + 4, 'latin1');
      content.fill(0);
    }
    if (type === 'eXIf' || !REQUIRED.has(type)) bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end - 4)), end - 4);
    at = end;
    if (type === 'IEND') {
      bytes.fill(0, at);
      return true;
    }
  }
  return false;
}
