import type { FileKind } from '../file-type.ts';
import { exifBudget, withoutPlaceInExif } from './exif.ts';
import { withoutPlaceInGif } from './gif.ts';
import { withoutPlaceInHeic } from './heic.ts';
import { withoutPlaceInJpeg } from './jpeg.ts';
import { withoutPlaceInMovie } from './movie.ts';
import { METADATA_BYTES_MAX, occurrences } from './occurrences.ts';
import { withoutPlaceInPng } from './png.ts';
import { withoutPlaceInWebp } from './webp.ts';

const CLEANERS: Partial<Record<FileKind, (bytes: Buffer) => boolean>> = {
  jpg: withoutPlaceInJpeg,
  png: withoutPlaceInPng,
  webp: withoutPlaceInWebp,
  gif: withoutPlaceInGif,
  heic: withoutPlaceInHeic,
  mp4: withoutPlaceInMovie,
  mov: withoutPlaceInMovie,
  m4a: withoutPlaceInMovie,
};

/** Removes the location from the metadata of an image or a movie, in place and keeping its size. Other files stay as they are. */
export function withoutPlace(kind: FileKind, bytes: Buffer): void {
  const clean = CLEANERS[kind];
  if (clean === undefined || clean(bytes)) return;
  // A damaged image: what repair tools would find of its metadata, wherever it stands.
  const budget = exifBudget(bytes);
  for (const header of ['II*\0', 'MM\0*']) {
    for (const at of occurrences(bytes, header)) withoutPlaceInExif(bytes.subarray(at), budget);
  }
  for (const begin of ['<x:xmpmeta', '<rdf:RDF', 'Photoshop 3.0\0']) {
    for (const at of occurrences(bytes, begin)) bytes.fill(0, at, Math.min(at + METADATA_BYTES_MAX, bytes.length));
  }
}
