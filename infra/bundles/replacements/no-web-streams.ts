/**
 * Replaces the SDK's support for web streams, and the modules that it would load at each start. The SDK's clients read
 * bodies with Node's HTTP agents, which return Node's streams.
 */
export function createChecksumStream(): never {
  throw new TypeError('Bundles hold no checksums of web streams: give the SDK a stream of node:stream.');
}
