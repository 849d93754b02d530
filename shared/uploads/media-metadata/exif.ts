/** Tags of TIFF and Exif that can contain a location: GPS, maker notes, XMP, IPTC, Photoshop resources. */
const LOCATION_TAGS: ReadonlySet<number> = new Set([0x8825, 0x927c, 0x02bc, 0x83bb, 0x8649]);
const GPS_DIRECTORY = 0x8825;
/** Tags that point to other directories. */
const POINTERS: ReadonlySet<number> = new Set([0x8769, GPS_DIRECTORY, 0xa005, 0x014a]);

const ENTRY_BYTES = 12;
const DIRECTORIES_MAX = 16;
const ENTRIES_MAX = 1_000;
/**
 * Maximum number of bytes that are read or zeroed, per byte of a block. A valid block is read once and partly zeroed.
 * Only a block whose parts overlap needs more work.
 */
const WORK_MAX = 3;
/** Bytes of a value by its type: BYTE, ASCII, SHORT, LONG, RATIONAL, and so on to DOUBLE (TIFF 6.0, page 15). */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

/**
 * Removes the location from an Exif block in place. Removes directory entries that can contain a location, and zeroes
 * their values. Orientation, time, camera and the name of the color profile stay. Zeroes the whole block if it is not
 * TIFF, has too many directories or entries, or exceeds the budget.
 *
 * @param tiff begins with the TIFF header
 * @param budget limits the work; blocks that may overlap share one budget
 */
export function stripExifLocation(tiff: Buffer, budget: ExifBudget = exifBudget(tiff)): void {
  const order = tiff.toString('latin1', 0, 2);
  const view = order === 'II' || order === 'MM' ? tiffView(tiff, order === 'II', budget) : undefined;
  if (view === undefined || tiff.length < 8 || view.short(2) !== 42) {
    tiff.fill(0);
    return;
  }
  const queue = [{ at: view.long(4), isGps: false }];
  const seen = new Set<number>();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next.at) || next.at < 8 || next.at + 2 > tiff.length) continue;
    seen.add(next.at);
    const isOverLimit = seen.size > DIRECTORIES_MAX || view.short(next.at) > ENTRIES_MAX;
    const found = isOverLimit ? [] : cleanDirectory(view, next);
    queue.push(...found);
    if (isOverLimit || found.length > DIRECTORIES_MAX || budget.bytesLeft < 0) {
      // Bytes that were not inspected must not stay, so the whole block is zeroed. No camera writes a block like this.
      tiff.fill(0);
      return;
    }
  }
}

/**
 * Number of bytes that may still be read or zeroed. If several directories or values share bytes, these bytes are
 * counted each time.
 */
export type ExifBudget = { bytesLeft: number };
export const exifBudget = (bytes: Buffer): ExifBudget => ({ bytesLeft: WORK_MAX * bytes.length });

type View = ReturnType<typeof tiffView>;
type Directory = { at: number; isGps: boolean };

const tiffView = (tiff: Buffer, little: boolean, budget: ExifBudget) => ({
  tiff,
  budget,
  short: (at: number): number => (at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)),
  long: (at: number): number => (at + 4 > tiff.length ? 0 : little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at)),
  setShort: (at: number, value: number) => (little ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)),
});

/**
 * Removes from a directory the entries that can contain a location.
 *
 * @returns the directories to which the directory points
 */
function cleanDirectory(view: View, { at, isGps }: Directory): Directory[] {
  const { tiff, short, long } = view;
  const room = Math.floor((tiff.length - at - 2) / ENTRY_BYTES);
  const count = Math.min(short(at), room);
  const found: Directory[] = [];
  let remaining = 0;
  for (let index = 0; index < count; index++) {
    const entry = at + 2 + index * ENTRY_BYTES;
    const tag = short(entry);
    if (POINTERS.has(tag)) addDirectories(found, view, entry, isGps || tag === GPS_DIRECTORY);
    if (isGps || LOCATION_TAGS.has(tag)) {
      blankValue(view, entry);
      continue;
    }
    if (remaining < index) tiff.copyWithin(at + 2 + remaining * ENTRY_BYTES, entry, entry + ENTRY_BYTES);
    remaining++;
  }
  const end = at + 2 + count * ENTRY_BYTES;
  view.budget.bytesLeft -= (count + found.length) * ENTRY_BYTES;
  if (!isGps && short(at) <= room) found.push({ at: long(end), isGps: false });
  closeGap(view, at, { remaining, end });
  return found;
}

/**
 * Stores the number of remaining entries, moves the offset of the next directory directly behind them, and zeroes the
 * unused bytes.
 */
function closeGap({ tiff, setShort }: View, at: number, { remaining, end }: { remaining: number; end: number }): void {
  const newEnd = at + 2 + remaining * ENTRY_BYTES;
  setShort(at, remaining);
  if (newEnd === end) return;
  tiff.copyWithin(newEnd, end, Math.min(end + 4, tiff.length));
  tiff.fill(0, newEnd + 4, Math.min(end + 4, tiff.length));
}

/** Adds to `found` the directories to which an entry points. If there are too many, adds only one too many. */
function addDirectories(found: Directory[], { long }: View, entry: number, isGps: boolean): void {
  const count = Math.min(long(entry + 4), DIRECTORIES_MAX + 1);
  const offset = long(entry + 8);
  if (count <= 1) found.push({ at: offset, isGps });
  else for (let index = 0; index < count; index++) found.push({ at: long(offset + index * 4), isGps });
}

/**
 * Zeroes the value of an entry if the value has more than four bytes, because TIFF stores these values outside of the
 * entry. Does nothing for pointers to directories, or if the budget is used up.
 */
function blankValue(view: View, entry: number): void {
  const { tiff, budget, short, long } = view;
  const bytes = (TYPE_BYTES[short(entry + 2)] ?? 1) * long(entry + 4);
  if (bytes <= 4 || POINTERS.has(short(entry)) || budget.bytesLeft < 0) return;
  const from = Math.min(long(entry + 8), tiff.length);
  const to = Math.min(from + bytes, tiff.length);
  budget.bytesLeft -= to - from;
  tiff.fill(0, from, to);
}
