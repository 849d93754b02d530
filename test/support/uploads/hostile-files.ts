import { latin, u16, u32 } from './bytes.ts';
import { aCompoundFile, aZip } from './office-files.ts';
import { aGif, aJpeg, anIsoFile, aPng, aWebp, box, jpegSegment } from './sample-files.ts';

/** Files that cost a naive parser much more work than ordinary files of the same size. */

const MEGABYTE = 1024 * 1024;

const fullBox = (type: string, version: number, ...content: Buffer[]): Buffer =>
  box(type, Buffer.from([version, 0, 0, 0]), ...content);

const times = (count: number, make: (index: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));

const itemInfo = (id: number, type = 'Exif') => fullBox('infe', 2, u16(id), u16(0), latin(type));

type Location = { id: number; base?: number; extents: Buffer[] };

/**
 * Returns the box with the byte positions of items.
 *
 * @param sizes four hexadecimal digits: bytes per offset, bytes per length, bytes per base, and 0
 */
const locationsOf = (sizes: [number, number], locations: Location[]): Buffer =>
  fullBox(
    'iloc',
    0,
    Buffer.from(sizes),
    u16(locations.length),
    ...locations.map(({ id, base, extents }) =>
      Buffer.concat([u16(id), u16(0), ...(base === undefined ? [] : [u32(base)]), u16(extents.length), ...extents]),
    ),
  );

const heicOf = (infos: Buffer, locations: Buffer, ...behind: Buffer[]): Buffer =>
  Buffer.concat([
    box('ftyp', latin('heic'), u32(0), latin('mif1'), latin('heic')),
    fullBox('meta', 0, fullBox('iinf', 0, u16(1), infos), locations),
    ...behind,
  ]);

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const NONE = Buffer.alloc(0);
const picture = (megabytes: number) => box('mdat', Buffer.alloc(megabytes * MEGABYTE));
const extent = (offset: number, length: number) => Buffer.concat([u32(offset), u32(length)]);

/** An Exif block whose 16 directories share their entries. Each entry points to all of the directories. */
function overlappingExif(bytes = 12_100): Buffer {
  const tiff = Buffer.alloc(bytes);
  const pointersAt = 10 + ENTRIES * 12 + 4;
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(ENTRIES, 8);
  for (let at = 10; at < 10 + ENTRIES * 12; at += 12) {
    // In each entry, a directory begins at `at + 2`. It consists of bytes of the entry: its number of entries is the
    // entry's type, and its first tag is the first half of the entry's number of values.
    tiff.writeUInt16BE(SUB_DIRECTORIES, at);
    tiff.writeUInt16BE(ENTRIES, at + 2);
    tiff.writeUInt16BE(SUB_DIRECTORIES, at + 4);
    tiff.writeUInt32BE(pointersAt, at + 8);
  }
  for (let index = 0; index < 16; index++) tiff.writeUInt32BE(12 + index * 12, pointersAt + index * 4);
  return tiff;
}

const ENTRIES = 1_000;
const SUB_DIRECTORIES = 0x014a;

/** An Exif block whose entries all have the same value: the bytes from `from` to the end of the block. */
function blankingExif(bytes: number, from = 10 + ENTRIES * 12 + 4): Buffer {
  const tiff = Buffer.alloc(bytes, 1);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(ENTRIES, 8);
  for (let index = 0; index < ENTRIES; index++) {
    const at = 10 + index * 12;
    tiff.writeUInt16BE(0x927c, at);
    tiff.writeUInt16BE(1, at + 2);
    tiff.writeUInt32BE(0xffffffff, at + 4);
    tiff.writeUInt32BE(from, at + 8);
  }
  tiff.writeUInt32BE(0, 10 + ENTRIES * 12);
  return tiff;
}

const exifItem = (tiff: Buffer): Buffer => Buffer.concat([u32(0), tiff]);
const ITEMS = 4_096;
const EXTENTS = 8_192;
const sameItems = times(ITEMS, () => itemInfo(1));
const items = times(ITEMS, (index) => itemInfo(index + 1));

const eachItem = (extents: () => Buffer[]): Location[] =>
  Array.from({ length: ITEMS }, (_, index) => ({ id: index + 1, extents: extents() }));

/** A HEIC with one Exif item in its `mdat`. */
function heicWithExif(content: Buffer, ...behind: Buffer[]): Buffer {
  const make = (at: number) =>
    heicOf(
      itemInfo(1),
      locationsOf([0x44, 0], [{ id: 1, extents: [extent(at, content.length)] }]),
      box('mdat', content),
      ...behind,
    );
  return make(make(0).indexOf('mdat', 0, 'latin1') + 4);
}

/** Nested boxes: each box contains all boxes after it. */
function nestedBoxes(count: number): Buffer {
  const nested = Buffer.alloc(count * 8);
  for (let at = 0; at < nested.length; at += 8) {
    nested.writeUInt32BE(nested.length - at, at);
    nested.write(at < 8 ? 'moov' : 'trak', at + 4, 'latin1');
  }
  return nested;
}

const tracksOfBoxes = () =>
  box(
    'moov',
    times(64, () =>
      box(
        'trak',
        times(ITEMS, () => box('udta')),
      ),
    ),
  );

export const HOSTILE_HEICS: Record<string, () => Buffer> = {
  'items of one id, with empty extents': () =>
    heicOf(sameItems, locationsOf([0, 0], [{ id: 1, extents: many(EXTENTS, NONE) }])),
  'items of one id, with empty extents and 4 MB of picture': () =>
    heicOf(sameItems, locationsOf([0, 0], [{ id: 1, extents: many(EXTENTS, NONE) }]), picture(4)),
  'items of one id, with extents of no length': () =>
    heicOf(sameItems, locationsOf([0x40, 0], [{ id: 1, extents: many(EXTENTS, u32(9_999_999)) }])),
  'items of one id, with extents of one byte': () =>
    heicOf(sameItems, locationsOf([0x44, 0], [{ id: 1, extents: many(EXTENTS, extent(0, 1)) }])),
  'items of one id, without locations': () => heicOf(sameItems, locationsOf([0, 0], [])),
  'mime items of one id': () =>
    heicOf(
      times(ITEMS, () => itemInfo(1, 'mime')),
      locationsOf([0, 0], [{ id: 1, extents: many(EXTENTS, NONE) }]),
    ),
  'one item with empty extents': () =>
    heicOf(itemInfo(1), locationsOf([0, 0], [{ id: 1, extents: many(EXTENTS, NONE) }]), picture(4)),
  'locations of one id': () =>
    heicOf(items, locationsOf([0, 0], many(ITEMS, { id: 1, extents: many(2, NONE) })), picture(4)),
  'many items with two empty extents each': () =>
    heicOf(
      items,
      locationsOf(
        [0, 0],
        eachItem(() => many(2, NONE)),
      ),
      picture(4),
    ),
  'many items that are the whole file': () =>
    heicOf(
      items,
      locationsOf(
        [0, 0],
        eachItem(() => [NONE]),
      ),
      picture(4),
    ),
  'extents that overlap': () =>
    heicOf(
      itemInfo(1, 'mime'),
      locationsOf([0x44, 0], [{ id: 1, extents: many(EXTENTS, extent(0, 4 * MEGABYTE)) }]),
      picture(4),
    ),
  // The extents of item 2 begin after the end of the file. The length 0 means that they end where the file ends, so a
  // parser computes a negative length.
  'extents of negative length': () =>
    heicOf(
      Buffer.concat([itemInfo(1, 'mime'), itemInfo(2, 'mime')]),
      locationsOf(
        [0x44, 0],
        [
          { id: 1, extents: many(EXTENTS - 8, extent(0, 4 * MEGABYTE)) },
          { id: 2, extents: many(8, extent(0xffffffff, 0)) },
        ],
      ),
      picture(4),
    ),
  'more items than it has room for': () =>
    heicOf(items, fullBox('iloc', 2, Buffer.from([0, 0]), u32(0xffffffff), Buffer.alloc(1_000)), picture(4)),
  'more extents than it has room for': () =>
    heicOf(
      items,
      fullBox(
        'iloc',
        1,
        Buffer.from([0, 0]),
        u16(ITEMS),
        times(ITEMS, (index) => Buffer.concat([u16(index), Buffer.from([0, 0, 0, 0, 0xff, 0xff])])),
      ),
      picture(4),
    ),
  'extents within a box that is not there': () =>
    heicOf(
      items,
      fullBox(
        'iloc',
        1,
        Buffer.from([0, 0]),
        u16(ITEMS),
        times(ITEMS, (index) => Buffer.concat([u16(index), u16(2), u16(0), u16(2)])),
      ),
      picture(4),
    ),
  'an item list of a hundred thousand entries': () =>
    heicOf(
      times(100_000, (index) => itemInfo(index & 0xffff)),
      locationsOf([0, 0], []),
      picture(2),
    ),
  'half a million empty boxes': () =>
    Buffer.concat([heicOf(items, locationsOf([0, 0], [])), times(500_000, () => box('free'))]),
  'boxes nested ten thousand deep': () => heicOf(itemInfo(1), locationsOf([0, 0], []), nestedBoxes(10_000)),
  'a movie of 64 tracks with 4,096 boxes each': () =>
    heicOf(
      itemInfo(1),
      locationsOf([0, 0], []),
      box(
        'moov',
        times(64, () =>
          box(
            'trak',
            times(ITEMS, () => box('udta')),
          ),
        ),
      ),
    ),
  'Exif whose directories overlap': () => heicWithExif(exifItem(overlappingExif(4 * MEGABYTE))),
  'Exif whose values overlap': () => heicWithExif(exifItem(blankingExif(4 * MEGABYTE))),
  'unreferenced Exif whose directories overlap': () =>
    heicWithExif(
      exifItem(overlappingExif()),
      box(
        'mdat',
        times(128, () => Buffer.concat([latin('Exif\0\0'), overlappingExif(30_000)])),
      ),
    ),
  'overlapping Exif blocks and no list of items': () =>
    Buffer.concat([
      box('ftyp', latin('heic'), u32(0), latin('mif1'), latin('heic')),
      box(
        'mdat',
        times(128, () => blankingExif(12_100, 3_900_000)),
        Buffer.alloc(3 * MEGABYTE),
      ),
    ]),
};

const exifSegment = (tiff: Buffer) => jpegSegment(0xe1, Buffer.concat([latin('Exif\0\0'), tiff]));

/** Inserts bytes before the last `last` bytes of a file. */
const before = (last: number, file: Buffer, ...added: Buffer[]): Buffer =>
  Buffer.concat([file.subarray(0, -last), ...added, file.subarray(-last)]);

/** Offsets in the header of a compound file. */
const SECTOR_SHIFT_AT = 30;
const FURTHER_TABLES_AT = 68;

export const HOSTILE_FILES: Record<string, () => Buffer> = {
  'photo.jpg with Exif blocks whose directories overlap': () => aJpeg({}, many(330, exifSegment(overlappingExif()))),
  'photo.jpg with Exif blocks whose values overlap': () => aJpeg({}, many(62, exifSegment(blankingExif(65_000)))),
  'photo.jpg with a million empty segments': () => aJpeg({}, [times(1_000_000, () => jpegSegment(0xe5, NONE))]),
  'photo.jpg with a scan of stuffed bytes': () => before(2, aJpeg(), Buffer.alloc(4 * MEGABYTE, '\xff\0', 'latin1')),
  'photo.jpg with a scan of padding': () => before(2, aJpeg(), Buffer.alloc(4 * MEGABYTE, 0xff)),
  'photo.jpg that is damaged and contains Exif whose values overlap': () =>
    Buffer.concat([
      latin('\xff\xd8\xff\xe0\0\0'),
      ...many(128, blankingExif(12_100, 3_900_000)),
      Buffer.alloc(2.4 * MEGABYTE),
    ]),
  'photo.png with a third of a million empty chunks': () =>
    aPng(
      {},
      Array.from({ length: 330_000 }, () => ['abCd', NONE] as [string, Buffer]),
    ),
  'photo.png with Exif blocks whose directories overlap': () =>
    aPng(
      {},
      Array.from({ length: 330 }, () => ['eXIf', overlappingExif()] as [string, Buffer]),
    ),
  'photo.webp with an Exif block whose directories overlap': () => aWebp({ exif: overlappingExif(4 * MEGABYTE) }),
  'photo.gif with a million empty extensions': () =>
    before(1, aGif(), Buffer.alloc(4 * MEGABYTE - 1, '\x21\xfe\0', 'latin1')),
  'photo.gif with an extension of two million blocks': () =>
    before(1, aGif(), latin('\x21\xfe'), Buffer.alloc(4 * MEGABYTE, '\x01a', 'latin1'), Buffer.alloc(1)),
  'clip.mp4 with half a million empty boxes': () => anIsoFile('mp42', Buffer.alloc(4 * MEGABYTE, box('udta'))),
  'clip.mov with boxes nested half a million deep': () => anIsoFile('qt  ', nestedBoxes(500_000)),
  'clip.m4a with 64 tracks of 4,096 boxes each': () => anIsoFile('M4A ', tracksOfBoxes()),
  'letter.doc whose list of tables is a cycle': () => {
    const file = Buffer.concat([aCompoundFile('Anything'), Buffer.alloc(8 * 1024)]);
    file.writeUInt16LE(12, SECTOR_SHIFT_AT);
    file.writeUInt32LE(0, FURTHER_TABLES_AT);
    file.fill(0, 4_096, 8_192);
    return file;
  },
  'letter.docx with entries of long names': () =>
    aZip(
      Array.from({ length: 60 }, () => '\xff'.repeat(30_000)),
      NONE,
    ),
  'letter.docx with 60,000 entries': () =>
    aZip(
      Array.from({ length: 60_000 }, () => 'word/x'),
      NONE,
    ),
  'letter.docx with ends of archives in its comment': () =>
    Buffer.concat([aZip(['word/document.xml']), Buffer.alloc(65_000, 'PK\x05\x06', 'latin1')]),
  'letter.txt of blanks': () => Buffer.alloc(4 * MEGABYTE, ' '),
  'letter.txt of Windows-1252': () => Buffer.alloc(4 * MEGABYTE, 'abc\xe4', 'latin1'),
  'letter.txt of blanks in UTF-16': () => Buffer.concat([latin('\xff\xfe'), Buffer.alloc(4 * MEGABYTE, ' \0')]),
};
