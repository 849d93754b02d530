import { crc32 } from 'node:zlib';
import { stripExifLocation } from './exif.ts';

/** Chunks that a picture is drawn by (PNG, third edition), animated ones too. */
const DRAWN_BY: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
);
/** A private chunk that editors may copy and readers skip. */
const BLANK = 'blNk';
const SIGNATURE_BYTES = 8;
const FRAME_BYTES = 12;

/**
 * Takes the place out of a PNG, in place and without a byte more or less: Exif is cleaned; chunks that it is not drawn
 * by (texts, XMP) and whatever lies behind its end become zeros.
 *
 * @returns false when it can't be read as a PNG
 */
export function stripPngLocation(bytes: Buffer): boolean {
  let at = SIGNATURE_BYTES;
  while (at + FRAME_BYTES <= bytes.length) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, end - 4);
    if (type === 'eXIf') stripExifLocation(content);
    else if (!DRAWN_BY.has(type)) {
      bytes.write(BLANK, at + 4, 'latin1');
      content.fill(0);
    }
    if (type === 'eXIf' || !DRAWN_BY.has(type)) bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end - 4)), end - 4);
    at = end;
    if (type === 'IEND') {
      bytes.fill(0, at);
      return true;
    }
  }
  return false;
}
