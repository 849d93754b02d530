import type { FileKind } from '../../../shared/uploads/file-type.ts';
import { stripLocation } from '../../../shared/uploads/media-metadata/strip-location.ts';
import { LATITUDE } from './sample-files.ts';

/** Bytes that reveal where a sample picture was taken, in all forms that the samples use. */
const TELLING = [
  LATITUDE,
  Buffer.from('GPSLatitude'),
  Buffer.from('52.5200'),
  Buffer.from('52,31.2N'),
  Buffer.from('xmpmeta'),
  Buffer.from('Sans Souci'),
];
export const revealsLocation = (bytes: Buffer): boolean => TELLING.some((sign) => bytes.includes(sign));

export const withoutLocation = (kind: FileKind, image: Buffer): Buffer => {
  const copy = Buffer.from(image);
  stripLocation(kind, copy);
  return copy;
};
