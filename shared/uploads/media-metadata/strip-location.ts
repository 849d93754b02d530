import type { FileKind } from '../file-type.ts';
import { exifBudget, stripExifLocation } from './exif.ts';
import { findOccurrences, METADATA_BYTES_MAX } from './find-occurrences.ts';
import { stripGifLocation } from './gif.ts';
import { stripHeicLocation } from './heic.ts';
import { stripJpegLocation } from './jpeg.ts';
import { stripMovieLocation } from './movie.ts';
import { stripPngLocation } from './png.ts';
import { stripWebpLocation } from './webp.ts';

const CLEANERS: Partial<Record<FileKind, (bytes: Buffer) => boolean>> = {
  jpg: stripJpegLocation,
  png: stripPngLocation,
  webp: stripWebpLocation,
  gif: stripGifLocation,
  heic: stripHeicLocation,
  mp4: stripMovieLocation,
  mov: stripMovieLocation,
  m4a: stripMovieLocation,
};

/**
 * Removes the location from the metadata of an image, MP4, MOV or M4A in place, without changing its size. Other files
 * stay unchanged.
 */
export function stripLocation(kind: FileKind, bytes: Buffer): void {
  const clean = CLEANERS[kind];
  if (clean === undefined || clean(bytes)) return;
  // The image is damaged. Blanks metadata at any offset, because repair tools could find it.
  const budget = exifBudget(bytes);
  for (const header of ['II*\0', 'MM\0*']) {
    for (const at of findOccurrences(bytes, header)) stripExifLocation(bytes.subarray(at), budget);
  }
  for (const begin of ['<x:xmpmeta', '<rdf:RDF', 'Photoshop 3.0\0']) {
    for (const at of findOccurrences(bytes, begin)) bytes.fill(0, at, Math.min(at + METADATA_BYTES_MAX, bytes.length));
  }
}
