/** The capacity of a JPEG segment. */
export const METADATA_BYTES_MAX = 0xffff;
const OCCURRENCES_MAX = 64;

/** Offsets of a text, at most `OCCURRENCES_MAX` to limit the work. */
export function* findOccurrences(bytes: Buffer, text: string): Generator<number> {
  let at = bytes.indexOf(text, 0, 'latin1');
  for (let count = 0; at >= 0 && count < OCCURRENCES_MAX; count++) {
    yield at;
    at = bytes.indexOf(text, at + 1, 'latin1');
  }
}
