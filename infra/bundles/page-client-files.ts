import { join } from 'node:path';

// `npm start` imports this file to serve the page client. It does not import `page-client.ts`, because that file loads
// the bundler, which takes 100 MB of memory.

/**
 * Limit of the core of the page client. Small analytics scripts have 2 to 3 KB, but lose events when a tab closes. The
 * core is larger, because it also stores events, keeps the order of submits, locks between tabs, recovers after
 * crashes, and starts its work after the load.
 */
const CORE_GZIP_BYTES_MAX = 6_800;
/** Limit of a part of the page client. Pages load a part only if they need it. */
const PART_GZIP_BYTES_MAX = 2_000;
const FORM_GZIP_BYTES_MAX = 2_300;
/** Limit of `form-parts.mjs`, which contains the texts and elements of the verification, uploads and the assistant. */
const FORM_PARTS_GZIP_BYTES_MAX = 3_000;
/**
 * Makes Chrome compile all functions of the core outside the main thread, as soon as it has the file. Otherwise, Chrome
 * compiles each function on the main thread when the function is first called.
 */
const CORE_BANNER = '//# allFunctionsCalledOnLoad\n';

/** The scripts, each with its entry in `web/page-client`. */
export const SCRIPTS = {
  'funnel.js': { entry: 'script.ts', format: 'iife', banner: CORE_BANNER, gzipBytesMax: CORE_GZIP_BYTES_MAX },
  'funnel.mjs': { entry: 'module.ts', format: 'esm', banner: CORE_BANNER, gzipBytesMax: CORE_GZIP_BYTES_MAX },
  'form.mjs': { entry: 'form.ts', format: 'esm', gzipBytesMax: FORM_GZIP_BYTES_MAX },
  'form-parts.mjs': { entry: 'form-parts.ts', format: 'esm', gzipBytesMax: FORM_PARTS_GZIP_BYTES_MAX },
  'consent.mjs': { entry: 'consent-adapters.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
  'verification.mjs': { entry: 'verification.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
  'upload.mjs': { entry: 'upload.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
  'assistant.mjs': { entry: 'assistant.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
} as const;
/** The type declarations, which are copied from `web/page-client`. */
export const TYPES = ['funnel', 'form', 'consent', 'verification', 'upload', 'assistant'].map(
  (name) => `${name}.d.mts`,
);

export const PAGE_CLIENT_FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'web', 'client');
export const PAGE_CLIENT_FILES: readonly string[] = [...Object.keys(SCRIPTS), ...TYPES];
/** A JSON file with the version of the page client and the integrity hashes of its files. */
export const INTEGRITY_FILE = 'integrity.json';
