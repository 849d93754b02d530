import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { VERSION } from '../page-client/delivery.ts';
import type { Integrity } from '../page-client/versions.ts';
import { replaceFile } from './bundle-files.ts';
import type { ScriptSize } from './bundle-sizes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(ROOT, 'web', 'page-client');
/**
 * A small tracker has 2 to 3 KB, but loses events when a tab closes. The page client is larger, because it also stores
 * events, keeps the order of submits, locks between tabs, recovers after crashes, and starts its work after the load.
 */
const CORE_GZIP_BYTES_MAX = 6_800;
/** Pages load a part only if they need it. */
const PART_GZIP_BYTES_MAX = 2_000;
const FORM_GZIP_BYTES_MAX = 2_300;
/** A larger limit, because the file contains the texts and elements of the verification, uploads and the assistant. */
const FORM_PARTS_GZIP_BYTES_MAX = 3_000;
/** Browsers of the last three years. */
const TARGET = ['chrome119', 'edge119', 'firefox119', 'safari17.1'];
/**
 * Compiles all functions of the core when the browser has the file, outside the main thread. Otherwise, Chrome compiles
 * each function on the main thread when it is first called.
 */
const CORE_BANNER = '//# allFunctionsCalledOnLoad\n';

const SCRIPTS = {
  'funnel.js': { entry: 'script.ts', format: 'iife', banner: CORE_BANNER, gzipBytesMax: CORE_GZIP_BYTES_MAX },
  'funnel.mjs': { entry: 'module.ts', format: 'esm', banner: CORE_BANNER, gzipBytesMax: CORE_GZIP_BYTES_MAX },
  'form.mjs': { entry: 'form.ts', format: 'esm', gzipBytesMax: FORM_GZIP_BYTES_MAX },
  'form-parts.mjs': { entry: 'form-parts.ts', format: 'esm', gzipBytesMax: FORM_PARTS_GZIP_BYTES_MAX },
  'consent.mjs': { entry: 'consent-adapters.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
  'verification.mjs': { entry: 'verification.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
  'upload.mjs': { entry: 'upload.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
  'assistant.mjs': { entry: 'assistant.ts', format: 'esm', gzipBytesMax: PART_GZIP_BYTES_MAX },
} as const;
const TYPES = ['funnel', 'form', 'consent', 'verification', 'upload', 'assistant'].map((name) => `${name}.d.mts`);

export const PAGE_CLIENT_FOLDER = join(ROOT, 'dist', 'web', 'client');
export const PAGE_CLIENT_FILES: readonly string[] = [...Object.keys(SCRIPTS), ...TYPES];
/** The file with the version of the page client and the integrity hash of each of its files, as JSON. */
export const INTEGRITY_FILE = 'integrity.json';

/**
 * Bundles the page client, as a classic script and as an ES module, and each of its parts. Copies their type
 * declarations. The same sources give the same bytes.
 */
export async function bundlePageClient(folder: string = PAGE_CLIENT_FOLDER): Promise<ScriptSize[]> {
  await mkdir(folder, { recursive: true });
  const sizes = Object.entries(SCRIPTS).map(async ([file, { entry, format, gzipBytesMax, ...script }]) => {
    const code = `${'banner' in script ? script.banner : ''}${await bundle(join(SOURCES, entry), format)}`;
    await replaceFile(join(folder, file), code);
    const gzipBytes = gzipSync(code, { level: 9 }).length;
    return { id: `web/client/${file}`, gzipBytes, gzipBytesMax };
  });
  for (const file of TYPES) await replaceFile(join(folder, file), await readFile(join(SOURCES, file)));
  const written = await Promise.all(sizes);
  const integrity = { version: VERSION, files: await readIntegrity(folder) };
  await replaceFile(join(folder, INTEGRITY_FILE), `${JSON.stringify(integrity, null, 2)}\n`);
  return written;
}

/** Computes the integrity hashes of a built page client. */
export async function readIntegrity(folder: string = PAGE_CLIENT_FOLDER): Promise<Integrity> {
  const hashes = PAGE_CLIENT_FILES.map(async (file) => {
    const hash = createHash('sha384').update(await readFile(join(folder, file)));
    return [file, `sha384-${hash.digest('base64')}`];
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** Formats the version and the integrity hashes for the output of the build. */
export const integrityTable = (integrity: Integrity): string =>
  [`Page client ${VERSION}`, ...Object.entries(integrity).map(([file, hash]) => `  ${file.padEnd(18)}  ${hash}`)].join(
    '\n',
  );

async function bundle(input: string, format: 'iife' | 'esm'): Promise<string> {
  const build = await rolldown({
    cwd: ROOT,
    input,
    platform: 'browser',
    transform: { target: TARGET },
    checks: { bundlerTimings: false },
    onLog: (level, { message }) => {
      // A warning is an error. Otherwise, an import that cannot be resolved would fail only in a browser.
      if (level === 'warn') throw new Error(message);
    },
  });
  try {
    const { output } = await build.generate({ format, minify: true, comments: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}
