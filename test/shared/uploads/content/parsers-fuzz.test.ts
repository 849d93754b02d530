import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import { parseBoundary } from '../../../../shared/http/multipart/boundary.ts';
import { scanMultipart } from '../../../../shared/http/multipart/scan-multipart.ts';
import { detectKinds, detectKindsFromHead } from '../../../../shared/uploads/content/detect-kinds.ts';
import { sanitizeContent } from '../../../../shared/uploads/content/sanitize-content.ts';
import type { FileKind } from '../../../../shared/uploads/file-type.ts';
import { stripLocation } from '../../../../shared/uploads/media-metadata/strip-location.ts';
import { measured } from '../../../support/measured.ts';
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
  XMP,
} from '../../../support/uploads/sample-files.ts';

const SEED = 20;
const RUNS = 400;
const MS_MAX = 1_000;
const GROWN_BYTES_MAX = 64 * 1024 * 1024;
const REPEATED_BYTES_MAX = 64 * 1024;

const meta = { exif: anExif(), xmp: XMP };
const userData = box('udta', Buffer.from('+52.5200+013.4050/'));
const movie = (brand: string) => anIsoFile(brand, box('moov', box('trak', userData), userData), box('moof', userData));
/** A valid file of every kind. Files have metadata if the parser of their kind reads metadata. */
const FILES = {
  ...ALL_FILES,
  jpg: () => aJpeg(meta),
  png: () => aPng(meta),
  webp: () => aWebp(meta),
  gif: () => aGif(meta),
  heic: () => aHeic(meta, [box('moov', box('trak', userData))]),
  mp4: () => movie('mp42'),
  mov: () => movie('qt  '),
  m4a: () => movie('M4A '),
};
const ALL = Object.values(FILES).map((make) => make());

/** Edge cases of lengths, counts and offsets. */
const NUMBERS = fc.constantFrom(0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0xffffffff);
/**
 * A position in a file, from 0 (the start) to almost 1 (the end). Without `noBias`, fast-check would generate mostly
 * small numbers, so that most positions would be in the signature of the file.
 */
const position = fc.noBias(fc.nat(2 ** 20 - 1)).map((part) => part / 2 ** 20);
const range = fc.tuple(position, fc.nat(200));

type Mutation = (file: Buffer) => Buffer;
const at = (file: Buffer, share: number): number => Math.floor(share * file.length);
const cut = (file: Buffer, [share, length]: [number, number]): Buffer =>
  file.subarray(at(file, share), at(file, share) + length);

const overwriteByte = fc.tuple(position, fc.nat(255)).map(([share, value]) => (file: Buffer) => {
  if (file.length > 0) file.writeUInt8(value, at(file, share));
  return file;
});
const overwriteNumber = fc
  .tuple(position, NUMBERS, fc.constantFrom(1, 2, 4), fc.boolean())
  .map(([share, value, size, little]) => (file: Buffer) => {
    const from = Math.min(at(file, share), file.length - size);
    if (from < 0) return file;
    const number = value % 256 ** size;
    if (little) file.writeUIntLE(number, from, size);
    else file.writeUIntBE(number, from, size);
    return file;
  });
const truncate = position.map((share) => (file: Buffer) => file.subarray(0, at(file, share)));
const removePart = range.map((where) => (file: Buffer) => {
  const part = cut(file, where);
  return Buffer.concat([file.subarray(0, at(file, where[0])), file.subarray(at(file, where[0]) + part.length)]);
});
const inserted = (file: Buffer, share: number, ...parts: Buffer[]): Buffer =>
  Buffer.concat([file.subarray(0, at(file, share)), ...parts, file.subarray(at(file, share))]);
const repeatPart = fc.tuple(range, position, fc.nat(2_000)).map(([from, to, count]) => (file: Buffer) => {
  const part = cut(file, from);
  const copies = Math.min(count, Math.floor(REPEATED_BYTES_MAX / Math.max(1, part.length)));
  return inserted(file, to, ...Array.from({ length: copies }, () => part));
});
const insertOther = fc.tuple(range, position, fc.constantFrom(...ALL)).map(
  ([from, to, other]) =>
    (file: Buffer) =>
      inserted(file, to, cut(other, from)),
);

// Most mutations overwrite bytes. Inserted or removed bytes shift the rest of the file, so that parsers stop earlier.
const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  { arbitrary: overwriteByte, weight: 6 },
  { arbitrary: overwriteNumber, weight: 6 },
  ...[truncate, removePart, repeatPart, insertOther].map((arbitrary) => ({ arbitrary, weight: 1 })),
);

const mutated = (file: Buffer, steps: readonly Mutation[]): Buffer =>
  steps.reduce<Buffer>((changed, step) => step(changed), Buffer.from(file));

/** Measures the memory of all runs together, which is an upper bound for one run. */
async function expectLittleMemory(runs: () => void): Promise<void> {
  const { grownBytes } = await measured(runs);
  expect(grownBytes).toBeLessThan(GROWN_BYTES_MAX);
}

function expectLittleTime(work: () => void): void {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(MS_MAX);
}

test.each(Object.entries(FILES))(
  '%s: processing damaged content never throws, uses limited time and memory, and overwrites only bytes of the file',
  async (name, make) => {
    const kind = name as FileKind;
    const file = make();
    let accepted = 0;
    await expectLittleMemory(() =>
      fc.assert(
        fc.property(fc.array(mutations, { minLength: 1, maxLength: 4 }), (steps) => {
          const damaged = mutated(file, steps);
          const around = Buffer.concat([Buffer.alloc(64, 1), damaged, Buffer.alloc(64, 2)]);
          const inside = around.subarray(64, 64 + damaged.length);
          expectLittleTime(() => {
            detectKindsFromHead(damaged.subarray(0, 4_096));
            if (detectKinds(damaged).includes(kind)) accepted++;
            sanitizeContent(damaged, `a.${kind}`, undefined);
            stripLocation(kind, inside);
          });
          expect(around.subarray(0, 64)).toEqual(Buffer.alloc(64, 1));
          expect(around.subarray(-64)).toEqual(Buffer.alloc(64, 2));
        }),
        { numRuns: RUNS, seed: SEED },
      ),
    );
    // Proves that not all damaged files fail at the first check: some are still detected as the original kind.
    expect(accepted).toBeGreaterThan(RUNS / 40);
  },
);

const form = Buffer.from(
  [
    '--b',
    'Content-Disposition: form-data; name="blockId"',
    '',
    '1',
    '--b',
    'Content-Disposition: form-data; name="file"; filename="a \\" b.png"',
    'Content-Type: image/png',
    '',
    'x',
    '--b--',
    '',
  ].join('\r\n'),
);

test('any damaged multipart form is parsed or rejected with 400', async () => {
  let read = 0;
  await expectLittleMemory(() =>
    fc.assert(
      fc.property(fc.array(mutations, { maxLength: 4 }), (steps) => {
        const damaged = mutated(form, steps);
        expectLittleTime(() => {
          if (isAccepted(() => scanMultipart(damaged, 'b'))) read++;
        });
      }),
      { numRuns: 2_000, seed: SEED },
    ),
  );
  expect(read).toBeGreaterThan(200);
});

test('the boundary of any damaged Content-Type is parsed or rejected with 400', async () => {
  const type = Buffer.from('multipart/form-data; charset=utf-8; boundary="a \\"b"');
  await expectLittleMemory(() =>
    fc.assert(
      fc.property(fc.array(mutations, { maxLength: 4 }), (steps) => {
        const damaged = mutated(type, steps).toString('latin1').slice(0, 8_192);
        expectLittleTime(() => void isAccepted(() => parseBoundary(damaged)));
      }),
      { numRuns: 2_000, seed: SEED },
    ),
  );
});

function isAccepted(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status: 400 });
    return false;
  }
}
