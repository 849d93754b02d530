import { access, mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { backgroundFunctions, operations } from '../../functions/operations.ts';
import { openApi } from '../../shared/http/openapi.ts';
import { BUILTIN_MODULES } from './builtin-modules.ts';
import { deployedFiles, REPORT, removeStale, replaceFile } from './bundle-files.ts';
import { type BundleSize, measure, sizeFaults, sizeTable } from './bundle-sizes.ts';
import { sourcesDigest } from './bundle-sources.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The API's description is written where it is read, at build time: no function carries its texts. */
const WITHOUT_DOC: Plugin = {
  name: 'without-doc',
  setup: ({ onResolve }) => {
    const path = fileURLToPath(import.meta.resolve('./no-doc.ts'));
    onResolve({ filter: /\/doc\.ts$/ }, () => ({ path }));
  },
};

/** All that a client of the SDK reads of its package.json, which it takes along whole. */
const VERSION_ALONE: Plugin = {
  name: 'version-alone',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/@aws-sdk\/[\w-]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  // Named alike for all: the names of parts depend on it.
  outdir: 'dist',
  // What stands behind an `import()` is a file of its own: a cold start reads and compiles none of it.
  splitting: true,
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  platform: 'node',
  target: 'node24',
  minify: true,
  legalComments: 'none',
  // The ES module variant of a package shakes to two thirds of the CommonJS one that `platform: node` prefers.
  mainFields: ['module', 'main'],
  conditions: ['module'],
  external: ['@duckdb/node-api'],
  plugins: [WITHOUT_DOC, VERSION_ALONE, BUILTIN_MODULES],
  alias: {
    '@aws-sdk/credential-provider-node': fileURLToPath(import.meta.resolve('./lambda-credentials.ts')),
    '@aws-sdk/token-providers': fileURLToPath(import.meta.resolve('./lambda-tokens.ts')),
  },
  sourcemap: 'external',
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'silent',
} satisfies BuildOptions;

/**
 * Bundles one handler to `<folder>/index.mjs` and a file for each part that only an `import()` leads to, with source
 * maps and esbuild's metafile beside them (neither is deployed). The same sources give the same bytes.
 */
export async function bundleFunction(id: string, handler: string, folder: string): Promise<BundleSize> {
  const built = await build({ ...OPTIONS, entryPoints: { index: handler } });
  await mkdir(folder, { recursive: true });
  // The entry last: whoever loads it finds the files that it names.
  const files = built.outputFiles.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
  for (const { path, contents } of files) await replaceFile(join(folder, basename(path)), contents);
  await replaceFile(join(folder, REPORT), JSON.stringify(built.metafile));
  await removeStale(folder, new Set([...files.map(({ path }) => basename(path)), REPORT]), Date.now());
  return measure(id, built.metafile);
}

const isEntry = (path: string): boolean => basename(path) === 'index.mjs';

/**
 * Bundles every declared function once to `dist/<id>/`: CDK deploys, the local runtime and the bench run these files.
 *
 * @throws AggregateError when a function does not build; the others are written all the same
 */
export async function bundleAll(): Promise<BundleSize[]> {
  const builds = await Promise.allSettled(
    [...operations, ...backgroundFunctions].map(({ id }) =>
      bundleFunction(id, join(ROOT, 'functions', id, 'handler.ts'), join(ROOT, 'dist', id)),
    ),
  );
  const failures = builds.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      failures.map((failure) => (failure instanceof Error ? failure.message : String(failure))).join('\n'),
    );
  return builds.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

/** The API's description, beside the bundles: what is deployed is what is described. */
async function writeOpenApi(): Promise<void> {
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  await replaceFile(join(ROOT, 'dist', 'openapi.json'), JSON.stringify(openApi(operations), null, 2));
}

/** Prints the sizes and names what is over budget; whoever only wants to run the bundles says `--quiet`. */
function report(sizes: readonly BundleSize[], milliseconds: number): void {
  console.log(`${sizeTable(sizes)}\n${sizes.length} functions in ${Math.round(milliseconds)} ms`);
  const faults = sizes.flatMap(sizeFaults);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}

const CURRENT = join(ROOT, 'dist', 'sources.sha256');

/** Whether what stands in `dist` was built of these very sources. */
async function isCurrent(digest: string): Promise<boolean> {
  const folders = [...operations, ...backgroundFunctions].map(({ id }) => join(ROOT, 'dist', id));
  const bundles = folders.map(async (folder) => {
    for (const file of deployedFiles(folder)) await access(join(folder, file));
  });
  const [built] = await Promise.all([readFile(CURRENT, 'utf8'), ...bundles]).catch(() => []);
  return built === digest;
}

async function buildAll(digest: string): Promise<BundleSize[]> {
  await rm(CURRENT, { force: true });
  const [sizes] = await Promise.all([bundleAll(), writeOpenApi()]);
  await replaceFile(CURRENT, digest);
  return sizes;
}

if (import.meta.main) {
  const quiet = process.argv.includes('--quiet');
  try {
    const digest = await sourcesDigest(ROOT);
    // Who starts the service again has waited for its bundles before.
    if (!(quiet && (await isCurrent(digest)))) {
      const sizes = await buildAll(digest);
      if (!quiet) report(sizes, performance.now());
    }
  } catch (failure) {
    console.error(failure instanceof Error ? failure.message : failure);
    process.exitCode = 1;
  }
}
