import { type IsoBox, parseIsoBoxes } from '../content/iso-boxes.ts';
import { stripExifLocation } from './exif.ts';
import { findOccurrences, METADATA_BYTES_MAX } from './find-occurrences.ts';
import { blankBox, blankMetadataBoxes } from './movie.ts';

/** Top-level boxes that decoders need. */
const REQUIRED: ReadonlySet<string> = new Set(['ftyp', 'meta', 'mdat', 'moov']);
const ITEMS_MAX = 4_096;
const EXTENTS_MAX = 8_192;
const SPACE = 0x20;
const EXIF_HEADERS = ['Exif\0\0II*\0', 'Exif\0\0MM\0*'];
const EXIF_HEADER_BYTES = 6;

type Item = { id: number; type: string };
type Extent = { from: number; to: number };

/**
 * Removes the geographic location from a HEIC in place, without changing its size. Cleans Exif, overwrites XMP with
 * spaces, and turns boxes that decoders don't need (maker notes, videos of live photos) into free space.
 *
 * @returns false if the bytes can't be parsed as a HEIC
 */
export function stripHeicLocation(bytes: Buffer): boolean {
  const boxes = parseIsoBoxes(bytes, 0, bytes.length);
  const meta = boxes?.find(({ type }) => type === 'meta');
  if (boxes === undefined || meta === undefined) return false;
  const last = boxes.at(-1)?.end ?? 0;
  for (const box of boxes) if (!REQUIRED.has(box.type)) blankBox(bytes, box);
  bytes.fill(0, last);
  // The content of a full box, such as `meta`, begins with four bytes of version and flags.
  const children = parseIsoBoxes(bytes, meta.body + 4, meta.end);
  if (children === undefined) return false;
  for (const box of children) if (box.type === 'uuid' || box.type === 'udta') blankBox(bytes, box);
  for (const box of boxes) if (box.type === 'moov') blankMetadataBoxes(bytes, box.body, box.end);
  const items = parseItems(bytes, children);
  const metadataItems = items?.filter(({ type }) => type === 'Exif' || type === 'mime' || type === 'uri ');
  if (metadataItems === undefined) return false;
  const locations = metadataItems.length === 0 ? new Map<number, Extent[]>() : parseLocations(bytes, children);
  const extents = metadataItems.flatMap(({ id }) => locations?.get(id) ?? []);
  if (locations === undefined || !extents.every(({ from, to }) => from <= to && to <= bytes.length)) return false;
  // Limits the work for extents that overlap.
  if (sumBytes(extents) > 2 * bytes.length) return false;
  for (const { id, type } of metadataItems) cleanItem(bytes, type, locations.get(id));
  cleanUnreferencedExif(bytes, extents);
  return true;
}

/** Cleans Exif that editors have left behind and that no item references any more. */
function cleanUnreferencedExif(bytes: Buffer, cleaned: readonly Extent[]): void {
  for (const header of EXIF_HEADERS) {
    for (const at of findOccurrences(bytes, header)) {
      if (cleaned.some(({ from, to }) => from <= at && at < to)) continue;
      stripExifLocation(bytes.subarray(at + EXIF_HEADER_BYTES, at + METADATA_BYTES_MAX));
    }
  }
}

const sumBytes = (extents: readonly Extent[]): number => extents.reduce((sum, { from, to }) => sum + to - from, 0);

/**
 * Returns undefined if the list of items can't be parsed or contains an id twice. The extents of that id would be
 * cleaned twice.
 */
function parseItems(bytes: Buffer, children: readonly IsoBox[]): Item[] | undefined {
  const box = children.find(({ type }) => type === 'iinf');
  if (box === undefined || box.body + 8 > box.end) return undefined;
  const entries = parseIsoBoxes(bytes, box.body + (bytes[box.body] === 0 ? 6 : 8), box.end);
  if (entries === undefined || entries.length > ITEMS_MAX) return undefined;
  const items = entries.flatMap(({ type, body, end }) => {
    const version = bytes[body] ?? 0;
    const long = version > 2;
    if (type !== 'infe' || version < 2 || body + (long ? 14 : 12) > end) return [];
    const id = long ? bytes.readUInt32BE(body + 4) : bytes.readUInt16BE(body + 4);
    const at = body + (long ? 10 : 8);
    return [{ id, type: bytes.toString('latin1', at, at + 4) }];
  });
  return new Set(items.map(({ id }) => id)).size === items.length ? items : undefined;
}

/**
 * If the item is Exif with one extent, removes the geographic location from it. Otherwise, fills the item with spaces.
 *
 * @param extents undefined for an item without bytes
 */
function cleanItem(bytes: Buffer, type: string, extents: readonly Extent[] = []): void {
  const [first] = extents;
  if (type !== 'Exif' || first === undefined || extents.length > 1) {
    for (const { from, to } of extents) bytes.fill(SPACE, from, to);
    return;
  }
  const item = bytes.subarray(first.from, first.to);
  // The first four bytes of the item are the offset of the TIFF header, counted from the fifth byte.
  const header = item.length < 4 ? item.length : 4 + item.readUInt32BE(0);
  if (header > item.length) item.fill(0);
  else stripExifLocation(item.subarray(header));
}

type Read = (size: number) => number;

/**
 * Returns, for each item id, the extents of the item's bytes (ISO/IEC 14496-12, 8.11.3). Returns undefined if they
 * can't be parsed.
 */
function parseLocations(bytes: Buffer, children: readonly IsoBox[]): Map<number, Extent[]> | undefined {
  const box = children.find(({ type }) => type === 'iloc');
  const itemData = children.find(({ type }) => type === 'idat')?.body;
  if (box === undefined) return undefined;
  try {
    return readLocations(reader(bytes, box), bytes.length, itemData);
  } catch {
    return undefined;
  }
}

/**
 * Creates a function that reads the next number of a given size in bytes from a box. The function throws a RangeError
 * at the end of the box.
 */
function reader(bytes: Buffer, { body, end }: IsoBox): Read {
  const content = bytes.subarray(body, end);
  let at = 0;
  return (size) => {
    at += size;
    if (size === 0) return 0;
    if (size === 8) return Number(content.readBigUInt64BE(at - size));
    return content.readUIntBE(at - size, size);
  };
}

/** @param itemData offset of the content of the box `idat`, which can contain the bytes of items */
function readLocations(read: Read, fileBytes: number, itemData: number | undefined): Map<number, Extent[]> {
  const version = read(1);
  read(3);
  const [sizes, moreSizes] = [read(1), read(1)];
  if (version > 2) throw new RangeError(`The box iloc has the unknown version ${version}.`);
  const wide = version < 2 ? 2 : 4;
  const count = read(wide);
  if (count > ITEMS_MAX) throw new RangeError(`The box iloc has ${count} items, more than ${ITEMS_MAX}.`);
  const locations = new Map<number, Extent[]>();
  const indexBytes = version > 0 ? moreSizes & 15 : 0;
  const extentBytes = indexBytes + (sizes >> 4) + (sizes & 15);
  let left = EXTENTS_MAX;
  for (let item = 0; item < count; item++) {
    const id = read(wide);
    const construction = version > 0 ? read(2) & 15 : 0;
    read(2);
    const base = read(moreSizes >> 4) + ([0, itemData][construction] ?? Number.NaN);
    const extents = read(2);
    left -= extents;
    if (left < 0) throw new RangeError(`The box iloc has more than ${EXTENTS_MAX} extents.`);
    // A single extent without offset and length is allowed, because it means the whole file.
    if (extents > 1 && extentBytes === 0)
      throw new RangeError(`In the box iloc, item ${id} has several extents without offset and length.`);
    if (locations.has(id)) throw new RangeError(`In the box iloc, item ${id} has two locations.`);
    locations.set(
      id,
      Array.from({ length: extents }, () => {
        read(indexBytes);
        const from = base + read(sizes >> 4);
        const length = read(sizes & 15);
        return { from, to: length === 0 ? fileBytes : from + length };
      }),
    );
  }
  return locations;
}
