import { type Box, boxesIn } from '../content/container.ts';
import { withoutPlaceInExif } from './exif.ts';

/** Boxes of the file that a picture is drawn by. */
const DRAWN_BY: ReadonlySet<string> = new Set(['ftyp', 'meta', 'mdat', 'free', 'skip', 'moov']);
const ITEMS_MAX = 4_096;
const SPACE = 0x20;

type Item = { id: number; type: string };
type Extent = { from: number; to: number };

/**
 * Takes the place out of a HEIC, in place and without a byte more or less: Exif items are cleaned, XMP becomes blanks,
 * boxes that the picture is not drawn by (maker's own, films of moving pictures) become free space.
 *
 * @returns false when it can't be read as a HEIC
 */
export function withoutPlaceInHeic(bytes: Buffer): boolean {
  const boxes = boxesIn(bytes, 0, bytes.length);
  const meta = boxes?.find(({ type }) => type === 'meta');
  if (boxes === undefined || meta === undefined) return false;
  const last = boxes.at(-1)?.end ?? 0;
  for (const box of boxes) if (!DRAWN_BY.has(box.type)) free(bytes, box);
  bytes.fill(0, last);
  // A full box: four bytes of version and flags first.
  const inside = boxesIn(bytes, meta.body + 4, meta.end);
  if (inside === undefined) return false;
  for (const box of inside) if (box.type === 'uuid' || box.type === 'udta') free(bytes, box);
  for (const box of boxes) if (box.type === 'moov') freeUserData(bytes, box);
  const items = itemsIn(bytes, inside);
  const telling = items?.filter(({ type }) => type === 'Exif' || type === 'mime' || type === 'uri ');
  if (telling === undefined) return false;
  return telling.every((item) => cleanItem(bytes, inside, item));
}

function free(bytes: Buffer, { start, body, end }: Box): void {
  bytes.write('free', start + 4, 'latin1');
  bytes.fill(0, body, end);
}

/** Where films keep their place: `udta` and `meta`, of the film or of a track. */
function freeUserData(bytes: Buffer, { body, end }: Box): void {
  for (const box of boxesIn(bytes, body, end) ?? []) {
    if (box.type === 'udta' || box.type === 'meta') free(bytes, box);
    else if (box.type === 'trak') freeUserData(bytes, box);
  }
}

function itemsIn(bytes: Buffer, inside: readonly Box[]): Item[] | undefined {
  const box = inside.find(({ type }) => type === 'iinf');
  if (box === undefined) return [];
  if (box.body + 8 > box.end) return undefined;
  const entries = boxesIn(bytes, box.body + (bytes[box.body] === 0 ? 6 : 8), box.end);
  if (entries === undefined || entries.length > ITEMS_MAX) return undefined;
  return entries.flatMap(({ type, body, end }) => {
    const version = bytes[body] ?? 0;
    if (type !== 'infe' || version < 2 || body + 14 > end) return [];
    const long = version > 2;
    const id = long ? bytes.readUInt32BE(body + 4) : bytes.readUInt16BE(body + 4);
    const at = body + (long ? 10 : 8);
    return [{ id, type: bytes.toString('latin1', at, at + 4) }];
  });
}

function cleanItem(bytes: Buffer, inside: readonly Box[], { id, type }: Item): boolean {
  const extents = extentsOf(bytes, inside, id);
  if (extents === undefined) return false;
  const [first] = extents;
  if (type !== 'Exif' || first === undefined || extents.length > 1) {
    for (const { from, to } of extents) bytes.fill(SPACE, from, to);
    return true;
  }
  const item = bytes.subarray(first.from, first.to);
  // Four bytes say how far behind them the TIFF header stands.
  const header = item.length < 4 ? item.length : 4 + item.readUInt32BE(0);
  if (header > item.length) item.fill(0);
  else withoutPlaceInExif(item.subarray(header));
  return true;
}

/** Where an item's bytes lie (ISO/IEC 14496-12, 8.11.3); undefined when that can't be read. */
function extentsOf(bytes: Buffer, inside: readonly Box[], id: number): Extent[] | undefined {
  const box = inside.find(({ type }) => type === 'iloc');
  if (box === undefined) return undefined;
  try {
    const found = locate(reader(bytes, box), id);
    const inItemData = found?.construction === 1;
    const base = inItemData ? inside.find(({ type }) => type === 'idat')?.body : 0;
    if (found === undefined || base === undefined || found.construction > 1)
      return found === undefined ? [] : undefined;
    const extents = found.extents.map(({ offset, length }) => ({
      from: base + offset,
      to: length === 0 ? bytes.length : base + offset + length,
    }));
    return extents.every(({ from, to }) => from <= to && to <= bytes.length) ? extents : undefined;
  } catch {
    return undefined;
  }
}

type Reader = ReturnType<typeof reader>;

/** Reads numbers of the sizes that the box itself names. @throws RangeError behind its end */
function reader(bytes: Buffer, { body, end }: Box) {
  const content = bytes.subarray(body, end);
  let at = 0;
  return (size: number): number => {
    at += size;
    if (size === 0) return 0;
    if (size === 8) return Number(content.readBigUInt64BE(at - size));
    return content.readUIntBE(at - size, size);
  };
}

function locate(read: Reader, wanted: number) {
  const version = read(1);
  read(3);
  const [sizes, moreSizes] = [read(1), read(1)];
  const offsetBytes = sizes >> 4;
  const lengthBytes = sizes & 15;
  const baseBytes = moreSizes >> 4;
  const indexBytes = version > 0 ? moreSizes & 15 : 0;
  const items = read(version < 2 ? 2 : 4);
  if (version > 2 || items > ITEMS_MAX) throw new RangeError('This box can not be read.');
  for (let item = 0; item < items; item++) {
    const id = read(version < 2 ? 2 : 4);
    const construction = version > 0 ? read(2) & 15 : 0;
    read(2);
    const base = read(baseBytes);
    const extents = Array.from({ length: read(2) }, () => {
      read(indexBytes);
      return { offset: base + read(offsetBytes), length: read(lengthBytes) };
    });
    if (id === wanted) return { construction, extents };
  }
  return undefined;
}
