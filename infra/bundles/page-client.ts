import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { VERSION } from '../page-client/delivery.ts';
import type { Integrity } from '../page-client/versions.ts';
import { replaceFile } from './bundle-files.ts';
import type { ScriptSize } from './bundle-sizes.ts';
import { INTEGRITY_FILE, PAGE_CLIENT_FILES, PAGE_CLIENT_FOLDER, SCRIPTS, TYPES } from './page-client-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(ROOT, 'web', 'page-client');
/** The oldest browsers that the page client supports, about three years old. */
const TARGET = ['chrome119', 'edge119', 'firefox119', 'safari17.1'];

/**
 * Bundles the core of the page client, as a classic script and as an ES module. Bundles each part as an ES module.
 * Copies the type declarations. The same sources give the same bytes.
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
