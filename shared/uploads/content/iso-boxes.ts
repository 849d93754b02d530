/** Magic numbers at a file's very start. */
export const hasMagicBytes = (bytes: Buffer, magic: string, at = 0): boolean =>
  bytes.length >= at + magic.length && bytes.toString('latin1', at, at + magic.length) === magic;

/** A box of an ISO base media file (ISO/IEC 14496-12): `start` is its header's, `body` its content's, `end` behind it. */
export type IsoBox = { type: string; start: number; body: number; end: number; isCut: boolean };

const BOXES_MAX = 4_096;

/** The boxes between two offsets; undefined when they are not well-formed or too many. */
export function parseIsoBoxes(bytes: Buffer, from: number, to: number): IsoBox[] | undefined {
  const boxes: IsoBox[] = [];
  let at = from;
  while (at + 8 <= to) {
    const box = boxes.length === BOXES_MAX ? undefined : parseIsoBox(bytes, at, to);
    if (box === undefined || box.isCut) return undefined;
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

/** The box at an offset, which ends at `to` if it claims more; undefined when its header is cut or not well-formed. */
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
  return { type: bytes.toString('latin1', start + 4, start + 8), start, body, end: Math.min(end, to), isCut: end > to };
}
