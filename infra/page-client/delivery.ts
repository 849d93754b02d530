import { readVersions } from './versions.ts';

/** How the page client is served: by the `web` stack and by `npm start`. */

const { current } = readVersions();

export const VERSION = current;

/**
 * The folder of the current version, below the root of the server, without a slash at its end. The files of a published
 * version never change.
 */
export const VERSION_FOLDER = `client/${VERSION}`;
/** The folder of the major version. It contains the latest deployed build, even before its version is published. */
export const ALIAS_FOLDER = `client/${VERSION.slice(0, VERSION.indexOf('.'))}`;

/** Matches the keys of all files in version folders, and no keys in alias folders. `*` also matches slashes (IAM). */
export const VERSIONED_KEYS = 'client/*.*.*/*';

export const CACHE_CONTROL = {
  version: 'public, max-age=31536000, immutable',
  alias: 'public, max-age=600',
} as const;

export const HSTS_SECONDS = 31_536_000;

/**
 * Headers of all responses; `web-stack.ts` repeats them for CloudFront. A page of any origin may load the files, also
 * with an integrity hash.
 */
export const RESPONSE_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Strict-Transport-Security': `max-age=${HSTS_SECONDS}`,
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Returns `text/plain` for TypeScript, which has no registered media type. */
export const contentType = (file: string): string =>
  `${/\.m?js$/.test(file) ? 'text/javascript' : 'text/plain'}; charset=utf-8`;
