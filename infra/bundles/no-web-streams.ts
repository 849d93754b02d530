/** Replaces the SDK's checksums of web streams in bundles. */
export function createChecksumStream(): never {
  throw new TypeError('A bundle has no checksums of web streams. Pass a stream of node:stream to the SDK.');
}
