import { inflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectKinds } from '../../../../shared/uploads/content/detect-kinds.ts';
import type { FileKind } from '../../../../shared/uploads/file-type.ts';
import { stripLocation } from '../../../../shared/uploads/media-metadata/strip-location.ts';
import { revealsLocation, withoutLocation } from '../../../support/uploads/location.ts';
import {
  ALL_FILES,
  aGif,
  aHeic,
  aJpeg,
  anExif,
  anIsoFile,
  aPng,
  aWebp,
  box,
  jpegSegment,
  ORIENTATION,
  XMP,
} from '../../../support/uploads/sample-files.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

const IMAGES_WITH_LOCATION: Record<string, (meta: { exif?: Buffer; xmp?: string }) => Buffer> = {
  jpg: aJpeg,
  png: aPng,
  webp: aWebp,
  heic: aHeic,
};

describe.each(Object.entries(IMAGES_WITH_LOCATION))('a %s image', (name, make) => {
  const kind = name as FileKind;

  test('loses its location, and keeps its kind and its number of bytes', () => {
    const image = make({ exif: anExif(), xmp: XMP });
    expect(revealsLocation(image)).toBe(true);
    const clean = withoutLocation(kind, image);
    expect(revealsLocation(clean)).toBe(false);
    expect(clean.length).toBe(image.length);
    expect(detectKinds(clean)).toContain(kind);
  });

  test('keeps orientation, time and camera', () => {
    const clean = withoutLocation(kind, make({ exif: anExif() }));
    const tiff = clean.subarray(clean.indexOf('MM\0*', 0, 'latin1'));
    expect(exifOf(tiff)).toEqual(exifOf(anExif({ gps: false }), { without: [0x927c] }));
    expect(exifOf(tiff).get(0x0112)).toBe(ORIENTATION);
    expect(clean.includes('Camera1')).toBe(true);
  });

  test('that has no metadata stays unchanged', () => {
    expect(withoutLocation(kind, make({})).equals(make({}))).toBe(true);
  });

  test('does not change when it is stripped again', () => {
    const once = withoutLocation(kind, make({ exif: anExif(), xmp: XMP }));
    expect(withoutLocation(kind, once).equals(once)).toBe(true);
  });
});

/** Returns the tags and values of the first directory and of the Exif directory. */
function exifOf(tiff: Buffer, { without = [] as number[] } = {}): Map<number, number> {
  const found = new Map<number, number>();
  const read = (at: number) => {
    for (let index = 0; index < tiff.readUInt16BE(at); index++) {
      const entry = at + 2 + index * 12;
      const tag = tiff.readUInt16BE(entry);
      if (tag === 0x8769) read(tiff.readUInt32BE(entry + 8));
      else if (!without.includes(tag) && tag !== 0x010f) found.set(tag, tiff.readUInt16BE(entry + 8));
    }
  };
  read(tiff.readUInt32BE(4));
  return found;
}

test('a GIF loses its XMP, and keeps its animation, its image and its number of bytes', () => {
  const image = aGif({ xmp: XMP });
  const clean = withoutLocation('gif', image);
  expect(revealsLocation(clean)).toBe(false);
  expect(clean.length).toBe(image.length);
  expect(clean.includes('NETSCAPE2.0')).toBe(true);
  expect(gifBlocks(clean)).toEqual(['comment', 'application', 'image', 'end']);
  expect(withoutLocation('gif', aGif()).equals(aGif())).toBe(true);
});

test.each([1, 2, 3, 250, 251, 252, 253, 254, 255, 256, 257, 258, 509, 510, 511, 512, 513, 5_000])(
  'the extensions of a GIF stay well-formed when a comment of %i bytes is blanked',
  (length) => {
    const blocks = [];
    for (let left = length; left > 0; left -= 255)
      blocks.push(Buffer.from([Math.min(left, 255)]), Buffer.alloc(Math.min(left, 255), 65));
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe]), ...blocks, Buffer.from([0])]);
    const plain = aGif();
    const clean = withoutLocation('gif', Buffer.concat([plain.subarray(0, 19), comment, plain.subarray(19)]));
    expect(clean.includes('AAA')).toBe(false);
    expect(gifBlocks(clean)).toEqual(['comment', 'application', 'image', 'end']);
  },
);

function gifBlocks(gif: Buffer): string[] {
  const blocks: string[] = [];
  for (let at = 19; ; ) {
    const kind = gif.readUInt8(at);
    if (kind === 0x3b) return [...blocks, 'end'];
    const name = kind === 0x2c ? 'image' : { 254: 'comment', 255: 'application' }[gif.readUInt8(at + 1)];
    if (name === undefined || blocks.length > 9) return [...blocks, `unexpected block at ${at}`];
    blocks.push(name);
    at += kind === 0x2c ? 11 : 2;
    while (gif.readUInt8(at) !== 0) at += 1 + gif.readUInt8(at);
    at++;
  }
}

describe('a JPEG', () => {
  test.each<[string, Buffer]>([
    ['IPTC and Photoshop resources', jpegSegment(0xed, latin('Photoshop 3.0\x008BIM Sans Souci'))],
    ['a proprietary segment', jpegSegment(0xe6, latin('GoPro\0 52.5200'))],
    ['extended XMP', jpegSegment(0xe1, latin('http://ns.adobe.com/xmp/extension/\0 exif:GPSLatitude'))],
    ['a comment', jpegSegment(0xfe, latin('52.5200, 13.4050'))],
  ])('loses %s', (_, segment) => {
    const image = aJpeg({}, [segment]);
    expect(revealsLocation(image)).toBe(true);
    const clean = withoutLocation('jpg', image);
    expect(revealsLocation(clean)).toBe(false);
    expect(clean.length).toBe(image.length);
    expect(clean.includes('a colour profile')).toBe(true);
  });

  test('gets zeros instead of the data after its end, such as the video of a motion photo', () => {
    const film = anIsoFile('mp42', box('udta', latin('\xa9xyz+52.5200+013.4050/')));
    const clean = withoutLocation('jpg', Buffer.concat([aJpeg(), film]));
    expect(revealsLocation(clean)).toBe(false);
    expect(clean.subarray(0, aJpeg().length).equals(aJpeg())).toBe(true);
    expect(clean.subarray(aJpeg().length).every((byte) => byte === 0)).toBe(true);
  });

  test('loses its location even if it is truncated', () => {
    const image = aJpeg({ exif: anExif(), xmp: XMP });
    expect(revealsLocation(withoutLocation('jpg', image.subarray(0, -4)))).toBe(false);
  });

  test('loses the content of an invalid Exif segment', () => {
    const clean = withoutLocation('jpg', aJpeg({}, [jpegSegment(0xe1, latin('Exif\0\0XXno tiff 52.5200'))]));
    expect(revealsLocation(clean)).toBe(false);
  });
});

describe('a PNG', () => {
  test('loses its texts, including compressed texts, and keeps its image data', () => {
    const image = aPng({ exif: anExif() }, [
      ['tEXt', latin('exif:GPSLatitude\x0052/1')],
      ['zTXt', latin('Raw profile type exif\0\0x')],
      ['tIME', Buffer.alloc(7, 1)],
    ]);
    const clean = withoutLocation('png', image);
    expect(revealsLocation(clean)).toBe(false);
    expect(clean.includes('Raw profile')).toBe(false);
    const data = clean.indexOf('IDAT', 0, 'latin1');
    expect(inflateSync(clean.subarray(data + 4, data + 4 + clean.readUInt32BE(data - 4)))).toEqual(
      Buffer.from([0, 255, 0, 0]),
    );
  });
});

describe('a HEIC', () => {
  const exifItem = Buffer.concat([Buffer.from([0, 0, 0, 6]), latin('Exif\0\0'), anExif()]);
  const ftyp = box('ftyp', latin('heic\0\0\0\0mif1heic'));
  const flags = (version: number) => Buffer.from([version, 0, 0, 0]);

  test('loses the location in Exif that is stored in the box `idat`', () => {
    const info = box('infe', flags(2), Buffer.from([0, 1, 0, 0]), latin('Exif\0'));
    const sizes = Buffer.from([0x44, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, exifItem.length]);
    const image = Buffer.concat([
      ftyp,
      box(
        'meta',
        flags(0),
        box('iinf', flags(0), Buffer.from([0, 1]), info),
        box('iloc', flags(1), sizes),
        box('idat', exifItem),
      ),
      box('mdat', Buffer.alloc(40)),
    ]);
    expect(exifItem.length).toBeLessThan(256);
    const clean = withoutLocation('heic', image);
    expect(revealsLocation(clean)).toBe(false);
    expect(clean.includes(latin('Exif\0\0'))).toBe(true);
  });

  test('without a list of items loses every location in bytes that look like Exif', () => {
    const image = Buffer.concat([
      ftyp,
      box('meta', flags(0), box('idat', exifItem)),
      box('mdat', exifItem, Buffer.alloc(40)),
    ]);
    expect(revealsLocation(withoutLocation('heic', image))).toBe(false);
  });

  test('loses a location in free space', () => {
    const image = aHeic({ exif: anExif() }, [box('free', latin(XMP)), box('skip', latin(XMP))]);
    expect(revealsLocation(withoutLocation('heic', image))).toBe(false);
  });

  test('loses the location in Exif data that belongs to no item', () => {
    const image = aHeic({ exif: anExif() }, [box('mdat', exifItem)]);
    expect(revealsLocation(withoutLocation('heic', image))).toBe(false);
  });

  test('loses the location in proprietary boxes, in a video and in bytes after the last box', () => {
    const image = aHeic({ exif: anExif() }, [
      box('uuid', Buffer.alloc(16), latin('52.5200')),
      box('mpvd', latin('GPSLatitude')),
    ]);
    expect(revealsLocation(withoutLocation('heic', image))).toBe(false);
    expect(revealsLocation(withoutLocation('heic', Buffer.concat([image, latin('52.5200')])))).toBe(false);
  });

  test('loses its location even if the positions of its items cannot be parsed', () => {
    const image = aHeic({ exif: anExif(), xmp: XMP });
    const at = image.indexOf('iloc', 0, 'latin1');
    image.writeUInt8(9, at + 4);
    expect(revealsLocation(withoutLocation('heic', image))).toBe(false);
  });
});

test('stripping a damaged image never throws, and changes no bytes before or after its buffer', () => {
  const pictures = Object.entries(IMAGES_WITH_LOCATION).map(
    ([kind, make]) => [kind as FileKind, make({ exif: anExif(), xmp: XMP })] as const,
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...pictures, ['gif', aGif({ xmp: XMP })] as const),
      fc.array(fc.tuple(fc.nat(10_000), fc.nat(255)), { maxLength: 6 }),
      fc.nat(10_000),
      ([kind, picture], damages, cut) => {
        const around = Buffer.concat([Buffer.alloc(64, 1), picture, Buffer.alloc(64, 2)]);
        const image = around.subarray(64, 64 + picture.length - (cut % 3 === 0 ? cut % picture.length : 0));
        for (const [at, value] of damages) image.writeUInt8(value, at % image.length);
        stripLocation(kind, image);
        expect(around.subarray(0, 64)).toEqual(Buffer.alloc(64, 1));
        expect(around.subarray(-64)).toEqual(Buffer.alloc(64, 2));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('PDF, Word and text files, and movies without metadata, stay unchanged', () => {
  for (const kind of ['pdf', 'mp4', 'docx', 'txt'] as const) {
    const file = ALL_FILES[kind]?.() ?? Buffer.alloc(0);
    expect(withoutLocation(kind, file).equals(file)).toBe(true);
  }
});
