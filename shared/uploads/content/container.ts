/** Magic numbers at a file's very start. */
export const startsWith = (bytes: Buffer, magic: string, at = 0): boolean =>
  bytes.length >= at + magic.length && bytes.toString('latin1', at, at + magic.length) === magic;

/** A box of an ISO base media file (ISO/IEC 14496-12): `start` is its header's, `body` its content's, `end` behind it. */
export type Box = { type: string; start: number; body: number; end: number };

const BOXES_MAX = 4_096;

/** The boxes between two offsets; undefined when they are not well-formed or too many. */
export function boxesIn(bytes: Buffer, from: number, to: number): Box[] | undefined {
  const boxes: Box[] = [];
  let at = from;
  while (at + 8 <= to) {
    if (boxes.length === BOXES_MAX) return undefined;
    let size = bytes.readUInt32BE(at);
    let body = at + 8;
    if (size === 1) {
      if (at + 16 > to) return undefined;
      size = Number(bytes.readBigUInt64BE(at + 8));
      body = at + 16;
    }
    const end = size === 0 ? to : at + size;
    if (end < body || end > to) return undefined;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), start: at, body, end });
    at = end;
  }
  return boxes;
}
