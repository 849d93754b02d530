import { hasMagicBytes } from '../content/magic-bytes.ts';

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const COMMENT = 0xfe;
const APPLICATION = 0xff;
const GRAPHIC_CONTROL = 0xf9;
/** Application extensions that decoders need, for loops of an animation and for the color profile. */
const REQUIRED = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];
const SUB_BLOCK_MAX = 255;

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/**
 * Removes the location from a GIF in place, without changing its size. Extensions that decoders don't need (XMP,
 * comments, plain text) become comments that contain only zeros. All bytes after the trailer become zeros.
 *
 * @returns false if the bytes can't be parsed as a GIF
 */
export function stripGifLocation(bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  let at = HEADER_BYTES + tableBytes(bytes.readUInt8(10));
  while (at < bytes.length) {
    const kind = bytes.readUInt8(at);
    if (kind === TRAILER) {
      bytes.fill(0, at + 1);
      return true;
    }
    const data = kind === IMAGE ? imageData(bytes, at) : at + 2;
    if ((kind !== IMAGE && kind !== EXTENSION) || data >= bytes.length) return false;
    const end = endOfSubBlocks(bytes, data);
    if (end === undefined) return false;
    if (kind === EXTENSION && !isRequired(bytes, at)) blankExtension(bytes.subarray(at, end));
    at = end;
  }
  return true;
}

const imageData = (bytes: Buffer, at: number): number =>
  at + 10 > bytes.length ? bytes.length : at + 11 + tableBytes(bytes.readUInt8(at + 9));

function isRequired(bytes: Buffer, at: number): boolean {
  const label = bytes[at + 1];
  if (label === GRAPHIC_CONTROL) return true;
  return label === APPLICATION && REQUIRED.some((name) => hasMagicBytes(bytes, name, at + 3));
}

function endOfSubBlocks(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (at < bytes.length) {
    const length = bytes.readUInt8(at);
    at += 1 + length;
    if (length === 0) return at;
  }
  return undefined;
}

/**
 * Turns an extension into a comment extension of the same length, with data sub-blocks that contain only zeros.
 */
function blankExtension(extension: Buffer): void {
  extension.fill(0, 2);
  extension.writeUInt8(COMMENT, 1);
  let left = extension.length - 3;
  let at = 2;
  while (left > 0) {
    // A single byte must never be left, because a sub-block has at least two bytes.
    const length = left === SUB_BLOCK_MAX + 2 ? SUB_BLOCK_MAX - 1 : Math.min(SUB_BLOCK_MAX, left - 1);
    extension.writeUInt8(length, at);
    at += 1 + length;
    left -= 1 + length;
  }
}
