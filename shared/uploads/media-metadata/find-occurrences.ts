/** Maximum size of a metadata block in bytes. It is the maximum length of a JPEG segment. */
export const METADATA_BYTES_MAX = 0xffff;
const OCCURRENCES_MAX = 64;

/** Yields the offsets of a text in the bytes. Yields at most `OCCURRENCES_MAX` offsets, to limit the work. */
export function* findOccurrences(bytes: Buffer, text: string): Generator<number> {
  let at = bytes.indexOf(text, 0, 'latin1');
  for (let count = 0; at >= 0 && count < OCCURRENCES_MAX; count++) {
    yield at;
    at = bytes.indexOf(text, at + 1, 'latin1');
  }
}
