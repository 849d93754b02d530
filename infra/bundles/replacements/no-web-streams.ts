/**
 * Stands for what the SDK does with bodies that are streams of the web, and for what is loaded with it at each start.
 * Its clients read bodies with Node's HTTP agents, which give Node's streams.
 */
export function createChecksumStream(): never {
  throw new TypeError('Bundles hold no checksums of web streams: give the SDK a stream of node:stream.');
}
