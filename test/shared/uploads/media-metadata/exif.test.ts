import { describe, expect, test } from 'vitest';
import { revealsLocation, withoutLocation } from '../../../support/uploads/location.ts';
import { aJpeg, LATITUDE } from '../../../support/uploads/sample-files.ts';

describe('an Exif block', () => {
  const directory = (entries: [tag: number, type: number, count: number, value: number][], next = 0) => {
    const bytes = Buffer.alloc(2 + entries.length * 12 + 4);
    bytes.writeUInt16LE(entries.length, 0);
    entries.forEach(([tag, type, count, value], index) => {
      bytes.writeUInt16LE(tag, 2 + index * 12);
      bytes.writeUInt16LE(type, 4 + index * 12);
      bytes.writeUInt32LE(count, 6 + index * 12);
      bytes.writeUInt32LE(value, 10 + index * 12);
    });
    bytes.writeUInt32LE(next, bytes.length - 4);
    return bytes;
  };
  const tiff = (...directories: Buffer[]) => Buffer.concat([Buffer.from('49492a0008000000', 'hex'), ...directories]);

  test('in little-endian order loses its location even if two directories refer to the GPS directory', () => {
    const first = directory([[0x8769, 4, 1, 0]], 0);
    const size = first.length;
    const made = tiff(
      directory([[0x8769, 4, 1, 8 + size]], 8 + size * 2),
      directory([[0x8825, 4, 1, 8 + size * 3]]),
      directory([[0x8825, 4, 1, 8 + size * 3]]),
      directory([[2, 5, 3, 8 + size * 4]]),
      LATITUDE,
    );
    expect(revealsLocation(withoutLocation('jpg', aJpeg({ exif: made })))).toBe(false);
  });

  test('keeps its size if its directories are circular', () => {
    const made = tiff(directory([[0x8769, 4, 1, 8]], 8));
    expect(withoutLocation('jpg', aJpeg({ exif: made })).length).toBe(aJpeg({ exif: made }).length);
  });

  test('loses its location even if it has more than 16 directories', () => {
    const size = directory([]).length;
    const many = Array.from({ length: 40 }, (_, index) => directory([], 8 + (index + 1) * size));
    const made = tiff(...many, LATITUDE);
    expect(revealsLocation(withoutLocation('jpg', aJpeg({ exif: made })))).toBe(false);
  });

  test('loses its location even if the 17th pointer of an entry points to it, after 16 equal pointers', () => {
    const pointersAt = 8 + directory([[0x014a, 4, 17, 0]]).length;
    const emptyAt = pointersAt + 17 * 4;
    const gpsAt = emptyAt + directory([]).length;
    const pointers = Buffer.alloc(17 * 4);
    for (let index = 0; index < 17; index++) pointers.writeUInt32LE(index < 16 ? emptyAt : gpsAt, index * 4);
    const gps = directory([[0x8825, 4, 1, gpsAt + directory([[0x8825, 4, 1, 0]]).length]]);
    const made = tiff(directory([[0x014a, 4, 17, pointersAt]]), pointers, directory([]), gps, LATITUDE);
    expect(revealsLocation(withoutLocation('jpg', aJpeg({ exif: made })))).toBe(false);
  });

  test('loses its location even if overlapping values exceed the limit of bytes to process', () => {
    const directoryBytes = directory(Array.from({ length: 6 }, () => [0x927c, 7, 0, 0])).length;
    const padding = 1_000;
    const overlapping = Array.from({ length: 5 }, (): [number, number, number, number] => [
      0x927c,
      7,
      padding,
      8 + directoryBytes,
    ]);
    const location: [number, number, number, number] = [0x927c, 7, LATITUDE.length, 8 + directoryBytes + padding];
    const made = tiff(directory([...overlapping, location]), Buffer.alloc(padding), LATITUDE);
    expect(revealsLocation(withoutLocation('jpg', aJpeg({ exif: made })))).toBe(false);
  });
});
