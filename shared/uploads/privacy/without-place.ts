import type { FileKind } from '../file-type.ts';
import { withoutPlaceInExif } from './exif.ts';
import { withoutPlaceInGif } from './gif.ts';
import { withoutPlaceInHeic } from './heic.ts';
import { withoutPlaceInJpeg } from './jpeg.ts';
import { withoutPlaceInPng } from './png.ts';
import { withoutPlaceInWebp } from './webp.ts';

const CLEANERS: Partial<Record<FileKind, (bytes: Buffer) => boolean>> = {
  jpg: withoutPlaceInJpeg,
  png: withoutPlaceInPng,
  webp: withoutPlaceInWebp,
  gif: withoutPlaceInGif,
  heic: withoutPlaceInHeic,
};

/** Takes out of an image's metadata where it was taken, in place and keeping its size; other files stay as they are. */
export function withoutPlace(kind: FileKind, bytes: Buffer): void {
  const clean = CLEANERS[kind];
  if (clean === undefined || clean(bytes)) return;
  // A damaged image: what repair tools would find of its metadata, wherever it stands.
  for (const header of ['II*\0', 'MM\0*']) {
    for (const at of occurrences(bytes, header)) withoutPlaceInExif(bytes.subarray(at));
  }
  for (const begin of ['<x:xmpmeta', '<rdf:RDF', 'Photoshop 3.0\0']) {
    for (const at of occurrences(bytes, begin)) bytes.fill(0, at, Math.min(at + METADATA_BYTES_MAX, bytes.length));
  }
}

/** As much as a segment of a JPEG can hold. */
const METADATA_BYTES_MAX = 0xffff;
const OCCURRENCES_MAX = 64;

function* occurrences(bytes: Buffer, text: string): Generator<number> {
  let at = bytes.indexOf(text, 0, 'latin1');
  for (let count = 0; at >= 0 && count < OCCURRENCES_MAX; count++) {
    yield at;
    at = bytes.indexOf(text, at + 1, 'latin1');
  }
}
