import { crc32, deflateSync } from 'node:zlib';
import { latin, u16, u32 } from './bytes.ts';
import { aCompoundFile, anOfficeZip } from './office-files.ts';

/** Generated tiny files of every accepted type. The inspection of uploads detects the type of each file. */

export const XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF exif:GPSLatitude="52,31.2N" exif:GPSLongitude="13,24.3E"/></x:xmpmeta>';
/** A latitude as Exif writes it: 52 degrees, 31 minutes, 12 seconds. */
export const LATITUDE = Buffer.concat([52, 1, 31, 1, 12, 1].map((value) => u32(value)));
const MAKER = 'MakerNote with a place: 52.5200 13.4050';
export const ORIENTATION = 6;

/** An Exif block, big-endian, with an orientation, a maker's note and, by default, GPS coordinates. */
export function anExif({ gps = true } = {}): Buffer {
  const entry = (tag: number, type: number, count: number, value: Buffer) =>
    Buffer.concat([
      u16(tag),
      u16(type),
      u32(count),
      value.length < 4 ? Buffer.concat([value, Buffer.alloc(4 - value.length)]) : value,
    ]);
  const directory = (entries: Buffer[], next = 0) => Buffer.concat([u16(entries.length), ...entries, u32(next)]);
  const size = (count: number) => 2 + count * 12 + 4;
  const ifd0At = 8;
  const exifAt = ifd0At + size(gps ? 4 : 3);
  const gpsAt = exifAt + size(2);
  const dataAt = gpsAt + size(3);
  const makerAt = dataAt + LATITUDE.length;
  const cameraAt = makerAt + MAKER.length;
  const ifd0 = directory([
    entry(0x010f, 2, 8, u32(cameraAt)),
    entry(0x0112, 3, 1, u16(ORIENTATION)),
    entry(0x8769, 4, 1, u32(exifAt)),
    ...(gps ? [entry(0x8825, 4, 1, u32(gpsAt))] : []),
  ]);
  const exif = directory([entry(0x9003, 2, 4, latin('2026')), entry(0x927c, 7, MAKER.length, u32(makerAt))]);
  const place = directory([
    entry(0x0001, 2, 2, latin('N\0')),
    entry(0x0002, 5, 3, u32(dataAt)),
    entry(0x0003, 2, 2, latin('E\0')),
  ]);
  return Buffer.concat([latin('MM'), u16(42), u32(8), ifd0, exif, place, LATITUDE, latin(MAKER), latin('Camera1\0')]);
}

type Meta = { exif?: Buffer; xmp?: string };

const pngChunk = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([latin(type), content]);
  return Buffer.concat([u32(content.length), named, u32(crc32(named))]);
};

export function aPng({ exif, xmp }: Meta = {}, chunks: [string, Buffer][] = []): Buffer {
  return Buffer.concat([
    latin('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', Buffer.concat([u32(1), u32(1), Buffer.from([8, 2, 0, 0, 0])])),
    ...(exif ? [pngChunk('eXIf', exif)] : []),
    ...(xmp ? [pngChunk('iTXt', latin(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`))] : []),
    ...chunks.map(([type, content]) => pngChunk(type, content)),
    pngChunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export const jpegSegment = (marker: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), u16(content.length + 2), content]);

/** A JPEG with the structure that parsers read, and without a real image. */
export function aJpeg({ exif, xmp }: Meta = {}, segments: Buffer[] = []): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xe0, latin('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
    ...(exif ? [jpegSegment(0xe1, Buffer.concat([latin('Exif\0\0'), exif]))] : []),
    ...(xmp ? [jpegSegment(0xe1, latin(`http://ns.adobe.com/xap/1.0/\0${xmp}`))] : []),
    jpegSegment(0xe2, latin('ICC_PROFILE\0\x01\x01a colour profile')),
    ...segments,
    jpegSegment(0xdb, Buffer.alloc(65, 1)),
    jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0])),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56]),
    Buffer.from([0xff, 0xd9]),
  ]);
}

const riffChunk = (type: string, content: Buffer): Buffer =>
  Buffer.concat([latin(type), u32(content.length, true), content, Buffer.alloc(content.length % 2)]);
const riff = (form: string, chunks: Buffer[]): Buffer => {
  const content = Buffer.concat([latin(form), ...chunks]);
  return Buffer.concat([latin('RIFF'), u32(content.length, true), content]);
};

export const aWebp = ({ exif, xmp }: Meta = {}): Buffer =>
  riff('WEBP', [
    riffChunk('VP8X', Buffer.from([(exif ? 8 : 0) | (xmp ? 4 : 0), 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    riffChunk('VP8L', Buffer.from([0x2f, 0, 0, 0, 0, 0, 0])),
    ...(exif ? [riffChunk('EXIF', exif)] : []),
    ...(xmp ? [riffChunk('XMP ', latin(xmp))] : []),
  ]);

const aWav = (): Buffer => riff('WAVE', [riffChunk('fmt ', Buffer.alloc(16, 1)), riffChunk('data', Buffer.alloc(8))]);

export function aGif({ xmp }: Meta = {}): Buffer {
  const trailer = Buffer.from([0x01, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0]);
  return Buffer.concat([
    latin('GIF89a'),
    Buffer.from([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...(xmp ? [Buffer.from([0x21, 0xff, 11]), latin('XMP DataXMP'), latin(xmp), trailer] : []),
    Buffer.from([0x21, 0xff, 11]),
    latin('NETSCAPE2.0'),
    Buffer.from([3, 1, 0, 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0, 0x3b]),
  ]);
}

export const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), latin(type), body]);
};
const fullBox = (type: string, version: number, ...content: Buffer[]): Buffer =>
  box(type, Buffer.from([version, 0, 0, 0]), ...content);

export const anIsoFile = (major: string, ...boxes: Buffer[]): Buffer =>
  Buffer.concat([
    box('ftyp', latin(major), u32(0), latin('isom'), latin(major)),
    ...boxes,
    box('mdat', Buffer.alloc(16, 7)),
  ]);

/** A HEIC with an image item, and with an Exif item and an XMP item if they are given. */
export function aHeic({ exif, xmp }: Meta = {}, boxes: Buffer[] = []): Buffer {
  const items = [
    { type: 'hvc1', content: Buffer.alloc(32, 9), tail: Buffer.alloc(1) },
    ...(exif
      ? [{ type: 'Exif', content: Buffer.concat([u32(6), latin('Exif\0\0'), exif]), tail: Buffer.alloc(1) }]
      : []),
    ...(xmp ? [{ type: 'mime', content: latin(xmp), tail: latin('\0application/rdf+xml\0') }] : []),
  ];
  const ftyp = box('ftyp', latin('heic'), u32(0), latin('mif1'), latin('heic'));
  const metaOf = (contentAt: number) => {
    let at = contentAt;
    const locations = items.map(({ content }, index) => {
      const location = Buffer.concat([u16(index + 1), u16(0), u16(1), u32(at), u32(content.length)]);
      at += content.length;
      return location;
    });
    const infos = items.map(({ type, tail }, index) => fullBox('infe', 2, u16(index + 1), u16(0), latin(type), tail));
    return fullBox(
      'meta',
      0,
      fullBox('iinf', 0, u16(items.length), ...infos),
      fullBox('iloc', 0, Buffer.from([0x44, 0x00]), u16(items.length), ...locations),
    );
  };
  const extra = Buffer.concat(boxes);
  const meta = metaOf(ftyp.length + metaOf(0).length + extra.length + 8);
  return Buffer.concat([ftyp, meta, extra, box('mdat', ...items.map(({ content }) => content))]);
}

/** Two frames of 128 kbit/s at 44.1 kHz. */
export const anMp3 = (): Buffer =>
  Buffer.concat([0, 1].map(() => Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)])));

export const aPdf = (): Buffer => latin('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');

export const aWebm = (docType = 'webm'): Buffer =>
  Buffer.concat([
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x87 + docType.length - 4, 0x42, 0x82, 0x80 + docType.length]),
    latin(docType),
    Buffer.from([0x18, 0x53, 0x80, 0x67]),
  ]);

/** One file of each type by its stored extension. */
export const ALL_FILES: Record<string, () => Buffer> = {
  png: aPng,
  jpg: aJpeg,
  webp: aWebp,
  gif: aGif,
  heic: aHeic,
  pdf: aPdf,
  doc: () => aCompoundFile('WordDocument'),
  docx: () => anOfficeZip('word'),
  xls: () => aCompoundFile('Workbook'),
  xlsx: () => anOfficeZip('xl'),
  ppt: () => aCompoundFile('PowerPoint Document'),
  pptx: () => anOfficeZip('ppt'),
  txt: () => Buffer.from('Grüße aus Köln\n'),
  csv: () => Buffer.from('name;ort\nAda;Köln\n'),
  mp3: anMp3,
  m4a: () => anIsoFile('M4A '),
  wav: aWav,
  mp4: () => anIsoFile('mp42'),
  mov: () => anIsoFile('qt  '),
  webm: aWebm,
};
