import { describe, expect, test } from 'vitest';
import { sanitizeContent } from '../../../../shared/uploads/content/sanitize-content.ts';
import { latin, u16, u32 } from '../../../support/uploads/bytes.ts';
import { revealsLocation, withoutLocation } from '../../../support/uploads/location.ts';
import { box } from '../../../support/uploads/sample-files.ts';

const TEXT = latin('+52.5200+013.4050/');
/** A longitude and a latitude as 3GPP writes them, as fixed-point numbers with 16 fractional bits (TS 26.244, 8.10). */
const FIXED = Buffer.concat([u32(0x000d67ae), u32(0x0034851e)]);
const flags = (version = 0) => Buffer.from([version, 0, 0, 0]);
const XMP_ID = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');

const location = {
  'QuickTime ©xyz': box('udta', box('\xa9xyz', u16(TEXT.length), u16(0x15c7), TEXT)),
  '3GPP loci': box('udta', box('loci', flags(), u16(0x15c7), latin('Sans Souci\0\0'), FIXED, u32(0), latin('\0\0'))),
  'Apple keys': box(
    'meta',
    box('hdlr', Buffer.alloc(8), latin('mdta'), Buffer.alloc(12)),
    box('keys', flags(), u32(1), box('mdta', latin('com.apple.quicktime.location.ISO6709'))),
    box('ilst', box('\0\0\0\x01', box('data', u32(1), u32(0), TEXT))),
  ),
  'iTunes keys': box('udta', box('meta', flags(), box('ilst', box('\xa9xyz', box('data', u32(1), u32(0), TEXT))))),
  'XMP in a uuid box': box('uuid', XMP_ID, latin('<x:xmpmeta exif:GPSLatitude="52,31.2N"/>')),
  'data in unused space': box('free', TEXT),
  'positions of a dashboard camera': box('gps ', TEXT),
};
const SAMPLES = Buffer.from('the samples of the movie');

type Parts = { movie?: Buffer; track?: Buffer; media?: Buffer; top?: Buffer; behind?: Buffer };

/** @param isFast whether the description (`moov`) precedes the samples (`mdat`) */
function aMovie(
  { movie, track, media, top, behind }: Parts,
  { brand = 'mp42', isFast = true, wide = false } = {},
): Buffer {
  const none = Buffer.alloc(0);
  const ftyp = box('ftyp', latin(brand), u32(0), latin('isom'), latin(brand));
  const mdat = wide
    ? Buffer.concat([u32(1), latin('mdat'), u32(0), u32(16 + SAMPLES.length), SAMPLES])
    : box('mdat', SAMPLES);
  const moovOf = (chunkAt: number) =>
    box(
      'moov',
      box('mvhd', Buffer.alloc(100, 1)),
      movie ?? none,
      box(
        'trak',
        track ?? none,
        box('tkhd', Buffer.alloc(84, 2)),
        box(
          'mdia',
          media ?? none,
          box('mdhd', Buffer.alloc(24, 3)),
          box('minf', box('stbl', box('stco', flags(), u32(1), u32(chunkAt)))),
        ),
      ),
    );
  const before = [ftyp, top ?? none];
  const samplesAt = (moovBytes: number) =>
    Buffer.concat(before).length + (isFast ? moovBytes : 0) + (mdat.length - SAMPLES.length);
  const moov = moovOf(samplesAt(moovOf(0).length));
  return Buffer.concat([...before, ...(isFast ? [moov, mdat] : [mdat, moov]), behind ?? none]);
}

const containsLocation = (bytes: Buffer) =>
  revealsLocation(bytes) || bytes.includes(FIXED) || bytes.includes('\xa9xyz', 0, 'latin1');

/**
 * Asserts that only the name and content of the removed box have changed, and that the offsets of the samples are
 * correct.
 */
function expectOnlyBoxRemoved(clean: Buffer, movie: Buffer, removed: Buffer): void {
  const at = movie.indexOf(removed);
  expect(clean.length).toBe(movie.length);
  expect(clean.subarray(0, at + 4)).toEqual(movie.subarray(0, at + 4));
  expect(clean.toString('latin1', at + 4, at + 8)).toBe('free');
  expect(clean.subarray(at + 8, at + removed.length).every((byte) => byte === 0)).toBe(true);
  expect(clean.subarray(at + removed.length)).toEqual(movie.subarray(at + removed.length));
  const samplesAt = clean.readUInt32BE(clean.indexOf('stco') + 12);
  expect(clean.subarray(samplesAt, samplesAt + SAMPLES.length)).toEqual(SAMPLES);
}

const KINDS = [
  ['mp4', 'mp42'],
  ['mp4', '3gp5'],
  ['mov', 'qt  '],
  ['m4a', 'M4A '],
] as const;
const POSITIONS: (keyof Parts)[] = ['movie', 'track', 'media', 'top', 'behind'];

describe.each(Object.entries(location))('a location as %s', (_, metadata) => {
  test.each(KINDS)('is removed from %s (%s) at every position, and all other bytes stay unchanged', (kind, brand) => {
    for (const position of POSITIONS)
      for (const isFast of [true, false])
        for (const wide of [true, false]) {
          const movie = aMovie({ [position]: metadata }, { brand, isFast, wide });
          expect(containsLocation(movie)).toBe(true);
          const clean = withoutLocation(kind, movie);
          expect(containsLocation(clean)).toBe(false);
          expectOnlyBoxRemoved(clean, movie, metadata);
          expect(sanitizeContent(clean, `a.${kind}`, undefined)).toBe(kind);
          expect(withoutLocation(kind, clean)).toEqual(clean);
        }
  });

  test('is removed from each of 5,000 fragments of a movie', () => {
    const fragment = box('moof', metadata, box('mfhd', u32(0)), box('traf', box('tfhd', u32(0)), metadata));
    const fragments = Buffer.concat(
      Array.from({ length: 5_000 }, () => Buffer.concat([fragment, box('mdat', SAMPLES)])),
    );
    const movie = aMovie({ behind: fragments });
    const clean = withoutLocation('mp4', movie);
    expect(containsLocation(clean)).toBe(false);
    expect(clean.length).toBe(movie.length);
    const withFree = movie.toString('latin1').replaceAll(metadata.toString('latin1'), asFree(metadata));
    expect(clean.equals(latin(withFree))).toBe(true);
  });

  test('is removed from a truncated movie', () => {
    const movie = aMovie({ behind: metadata });
    expect(containsLocation(withoutLocation('mp4', movie.subarray(0, -1)))).toBe(false);
    const inTrack = aMovie({ media: metadata }, { isFast: false });
    expect(
      containsLocation(withoutLocation('mov', inTrack.subarray(0, inTrack.indexOf(metadata) + metadata.length - 1))),
    ).toBe(false);
  });
});

const asFree = (metadata: Buffer): string =>
  `${metadata.toString('latin1', 0, 4)}free${'\0'.repeat(metadata.length - 8)}`;

test('a movie without metadata stays unchanged', () => {
  for (const [kind, brand] of KINDS)
    expect(withoutLocation(kind, aMovie({}, { brand }))).toEqual(aMovie({}, { brand }));
});

test('video data that looks like metadata stays unchanged', () => {
  const movie = aMovie({ behind: box('mdat', location['QuickTime ©xyz']) });
  expect(withoutLocation('mp4', movie)).toEqual(movie);
});
