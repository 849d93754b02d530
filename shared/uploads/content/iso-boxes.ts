/**
 * A box of an ISO base media file (ISO/IEC 14496-12), with the offsets of its header, of its content and of the byte
 * after its end.
 */
export type IsoBox = { type: string; start: number; body: number; end: number; isTruncated: boolean };

const BOXES_MAX = 4_096;

/**
 * Returns the boxes between two offsets, or undefined if a box is malformed or truncated or there are too many. Ignores
 * fewer than 8 bytes after the last box.
 */
export function parseIsoBoxes(bytes: Buffer, from: number, to: number): IsoBox[] | undefined {
  const boxes: IsoBox[] = [];
  let at = from;
  while (at + 8 <= to) {
    const box = boxes.length === BOXES_MAX ? undefined : parseIsoBox(bytes, at, to);
    if (box === undefined || box.isTruncated) return undefined;
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

/**
 * Returns the box at an offset, or undefined if its header is malformed or truncated. If the box ends after `to`
 * according to its declared size, the box is truncated at `to`.
 */
export function parseIsoBox(bytes: Buffer, start: number, to: number): IsoBox | undefined {
  if (start + 8 > to) return undefined;
  let size = bytes.readUInt32BE(start);
  let body = start + 8;
  if (size === 1) {
    if (start + 16 > to) return undefined;
    size = Number(bytes.readBigUInt64BE(body));
    body = start + 16;
  }
  const end = size === 0 ? to : start + size;
  if (end < body) return undefined;
  const type = bytes.toString('latin1', start + 4, start + 8);
  return { type, start, body, end: Math.min(end, to), isTruncated: end > to };
}
