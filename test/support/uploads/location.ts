import type { FileKind } from '../../../shared/uploads/file-type.ts';
import { stripLocation } from '../../../shared/uploads/media-metadata/strip-location.ts';
import { LATITUDE } from './sample-files.ts';

/** Everything that reveals where a picture was taken, in any form. */
const TELLING = [
  LATITUDE,
  Buffer.from('GPSLatitude'),
  Buffer.from('52.5200'),
  Buffer.from('52,31.2N'),
  Buffer.from('xmpmeta'),
  Buffer.from('Sans Souci'),
];
export const revealsLocation = (bytes: Buffer): boolean => TELLING.some((sign) => bytes.includes(sign));

/** The image as it is stored. */
export const withoutLocation = (kind: FileKind, image: Buffer): Buffer => {
  const copy = Buffer.from(image);
  stripLocation(kind, copy);
  return copy;
};
