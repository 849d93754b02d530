import type { FileKind } from '../file-type.ts';

/** The kinds that a file can have. If its bytes fit several kinds, its name decides. */
export type FileKinds = readonly FileKind[];

/** Whether the bytes at an offset equal a magic number, which has one character per byte. */
export const hasMagicBytes = (bytes: Buffer, magic: string, at = 0): boolean =>
  bytes.length >= at + magic.length && bytes.toString('latin1', at, at + magic.length) === magic;

export const ZIP = 'PK\u0003\u0004';
export const COMPOUND_FILE = '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1';

const MARKUP_BYTES = 1_024;
const MARKUP = /<(?:!doctype|html|head|body|script|svg|iframe|object|embed|\?php|\?xml-stylesheet)|javascript:/i;

/** Whether there is markup in the first bytes of a file, where browsers look for markup. */
export const beginsWithMarkup = (bytes: Buffer): boolean => MARKUP.test(bytes.toString('latin1', 0, MARKUP_BYTES));

/**
 * Returns the kinds that the signature at the very start of a file allows, or none if the signature is not accepted.
 * Does not detect Office files and text, which have no signature of their own.
 */
export function detectKindsBySignature(bytes: Buffer): FileKinds {
  const [kinds = []] = SIGNATURES.flatMap(([magic, at, found]) => (hasMagicBytes(bytes, magic, at) ? [found] : []));
  if (kinds.length > 0) return kinds;
  if (hasMagicBytes(bytes, 'RIFF')) {
    if (hasMagicBytes(bytes, 'WEBP', 8)) return ['webp'];
    return hasMagicBytes(bytes, 'WAVE', 8) ? ['wav'] : [];
  }
  if (hasMagicBytes(bytes, '\u001a\u0045\u00df\u00a3')) return isWebm(bytes) ? ['webm'] : [];
  if (hasMagicBytes(bytes, 'ftyp', 4)) return isoKinds(bytes);
  return isMp3(bytes) ? ['mp3'] : [];
}

const SIGNATURES: readonly [magic: string, at: number, kinds: FileKinds][] = [
  ['\u0089PNG\r\n\u001a\n', 0, ['png']],
  ['\u00ff\u00d8\u00ff', 0, ['jpg']],
  ['GIF87a', 0, ['gif']],
  ['GIF89a', 0, ['gif']],
  ['%PDF-', 0, ['pdf']],
];
/** Whether a Matroska file has the DocType `webm`. The DocType is in the first element, which is short. */
const isWebm = (bytes: Buffer): boolean => /\u0042\u0082.webm/s.test(bytes.toString('latin1', 0, 64));

const STILL_IMAGES = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'];
const QUICKTIME = 'qt  ';
const AUDIO = ['M4A ', 'M4B '];
const MOVIES = /^(?:isom|iso[2-9]|mp4[12]|avc1|M4V |M4VH|M4VP|MSNV|dash|f4v |3gp[4-6]|mmp4)$/;

/**
 * Returns the kinds of an ISO media file by its major brand. With the major brand `mif1` or `msf1`, the file must also
 * list a brand of HEIC to be a HEIC (ISO/IEC 23008-12, 10.2). AVIF files are not accepted, so they have no kind.
 */
function isoKinds(bytes: Buffer): FileKinds {
  const size = bytes.readUInt32BE(0);
  if (size < 16 || size > 1_024 || size > bytes.length) return [];
  const brands = [8, ...Array.from({ length: (size - 16) / 4 }, (_, index) => 16 + index * 4)].map((at) =>
    bytes.toString('latin1', at, at + 4),
  );
  const [major = ''] = brands;
  if (brands.includes('avif') || brands.includes('avis') || major === 'crx ') return [];
  if (STILL_IMAGES.includes(major)) return ['heic'];
  if (major === 'mif1' || major === 'msf1') return brands.some((brand) => STILL_IMAGES.includes(brand)) ? ['heic'] : [];
  if (major === QUICKTIME) return ['mov'];
  if (AUDIO.includes(major)) return ['m4a'];
  return MOVIES.test(major) ? ['mp4', 'm4a'] : [];
}

const BITRATES_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/**
 * Whether the file begins with an ID3v2 tag or a frame of MPEG audio layer III. After the frame, another frame must
 * follow, or `bytes` must end.
 */
function isMp3(bytes: Buffer): boolean {
  if (hasMagicBytes(bytes, 'ID3')) return bytes.length > 10 && (bytes[3] ?? 0) < 5 && isSyncSafe(bytes.subarray(6, 10));
  const frame = mp3FrameBytes(bytes, 0);
  return frame !== undefined && (bytes.length <= frame || mp3FrameBytes(bytes, frame) !== undefined);
}

const isSyncSafe = (size: Buffer): boolean => size.every((byte) => byte < 0x80);

function mp3FrameBytes(bytes: Buffer, at: number): number | undefined {
  if (at + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  const version = (header >> 19) & 3;
  const bitrate = (version === 3 ? BITRATES_MPEG1 : BITRATES_MPEG2)[(header >> 12) & 15] ?? 0;
  const sampleRate = SAMPLE_RATES[(header >> 10) & 3];
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >> 17) & 3) !== 1 || bitrate === 0) return undefined;
  if (sampleRate === undefined) return undefined;
  const scale = version === 3 ? 1 : version === 2 ? 2 : 4;
  const samples = version === 3 ? 144 : 72;
  return Math.floor((samples * bitrate * 1_000) / (sampleRate / scale)) + ((header >> 9) & 1);
}
