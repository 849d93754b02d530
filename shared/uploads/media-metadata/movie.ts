import { type IsoBox, parseIsoBox } from '../content/iso-boxes.ts';

/**
 * Boxes that players don't need and that can contain a location: user data, metadata, XMP, positions of dashboard
 * cameras.
 */
const METADATA: ReadonlySet<string> = new Set(['udta', 'meta', 'uuid', 'gps ']);
/** Unused space, in which editors leave content that they removed. */
const UNUSED: ReadonlySet<string> = new Set(['free', 'skip']);
/** Boxes that can contain metadata of a movie, a track, its media or a fragment (ISO/IEC 14496-12, 8.10.1; QTFF). */
const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'moof', 'traf']);
/** Maximum number of nested containers: the movie, a track, the media of the track. */
const DEPTH_MAX = 3;

/**
 * Removes the location from an MP4, MOV or M4A in place, without changing its size. Turns metadata boxes into free
 * space and zeroes all free space. All other bytes keep their positions, so that chunk offsets remain valid. Also
 * accepts truncated files.
 */
export function stripMovieLocation(bytes: Buffer): boolean {
  blankMetadataBoxes(bytes, 0, bytes.length);
  return true;
}

/**
 * Turns metadata boxes into free space. The time is proportional to the bytes times the depth, because boxes of one
 * level never overlap.
 */
export function blankMetadataBoxes(bytes: Buffer, from: number, to: number, depth = 0): void {
  for (let at = from; ; ) {
    const box = parseIsoBox(bytes, at, to);
    if (box === undefined) return;
    if (METADATA.has(box.type) || UNUSED.has(box.type)) blankBox(bytes, box);
    else if (CONTAINERS.has(box.type) && depth < DEPTH_MAX) blankMetadataBoxes(bytes, box.body, box.end, depth + 1);
    at = box.end;
  }
}

/** Turns a box into unused space of the same size. */
export function blankBox(bytes: Buffer, { start, body, end }: IsoBox): void {
  bytes.write('free', start + 4, 'latin1');
  bytes.fill(0, body, end);
}
