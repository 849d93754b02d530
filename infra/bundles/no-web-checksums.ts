/*
 * Replaces the SDK's `createChecksumStream.browser` in bundles, because loading it loads Node's web streams. See
 * `WITHOUT_WEB_CHECKSUMS` in bundle.ts.
 */

export function createChecksumStream(): never {
  throw new TypeError(
    'A bundle cannot verify the checksum of a web stream. The request handler of an SDK client must return Node streams.',
  );
}
