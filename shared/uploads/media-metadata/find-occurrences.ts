/** As much as a segment of a JPEG can hold. */
export const METADATA_BYTES_MAX = 0xffff;
const OCCURRENCES_MAX = 64;

/** Where a text stands, at most so often: it bounds the work. */
export function* findOccurrences(bytes: Buffer, text: string): Generator<number> {
  let at = bytes.indexOf(text, 0, 'latin1');
  for (let count = 0; at >= 0 && count < OCCURRENCES_MAX; count++) {
    yield at;
    at = bytes.indexOf(text, at + 1, 'latin1');
  }
}
