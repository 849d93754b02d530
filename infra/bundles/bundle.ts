import { access, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import pLimit from 'p-limit';
import { type InputOptions, type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { writeFailureOf } from '../common/user-error.ts';
import { buildOpenApiDocument } from '../openapi/document.ts';
import { BUILTIN_MODULES } from './builtin-modules.ts';
import { removeStale, replaceFile } from './bundle-files.ts';
import { createReport, deployedFiles, REPORT_FILE } from './bundle-report.ts';
import {
  type BundleSize,
  measureBundle,
  type ScriptSize,
  scriptSizeTable,
  scriptSizeViolations,
  sizeTable,
  sizeViolations,
} from './bundle-sizes.ts';
import { sourcesDigest } from './bundle-sources.ts';
import { bundlePageClient, integrityTable, readIntegrity } from './page-client.ts';
import { INTEGRITY_FILE, PAGE_CLIENT_FILES, PAGE_CLIENT_FOLDER } from './page-client-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Removes the texts of the OpenAPI document from bundles, because only the build reads them. */
const WITHOUT_DOC: Plugin = {
  name: 'without-doc',
  resolveId: {
    filter: { id: /\/schema-docs\.ts$/ },
    handler: () => fileURLToPath(import.meta.resolve('./no-docs.ts')),
  },
};

/**
 * Removes the SDK's code for checksums of web streams from bundles. When this code is loaded at a cold start, it accesses
 * `ReadableStream`, which loads Node's web streams. The SDK uses the code only for responses that are web streams, and
 * functions get only Node streams.
 */
const WITHOUT_WEB_CHECKSUMS: Plugin = {
  name: 'without-web-checksums',
  resolveId: {
    filter: { id: /\/createChecksumStream\.browser$/ },
    handler: () => fileURLToPath(import.meta.resolve('./no-web-checksums.ts')),
  },
};

/** Rolldown's input options for every function. */
export const BUNDLE_INPUT = {
  cwd: ROOT,
  platform: 'node',
  transform: { target: 'node24' },
  resolve: {
    // Prefers the ES module variant of a package. With tree shaking, this variant has two thirds of the size of the
    // CommonJS variant. The default of `platform: node` is the CommonJS variant.
    mainFields: ['module', 'main'],
    conditionNames: ['module', 'import', 'node'],
  },
  external: ['@duckdb/node-api'],
  // Allows the entry to export more than its handler, because chunks may import shared code from the entry.
  preserveEntrySignatures: 'allow-extension',
  // Disables warnings about slow builds, because build times depend on the machine.
  checks: { bundlerTimings: false },
  onLog: (level, { message }) => {
    // A warning is an error. Otherwise, an unresolved import would fail only when the deployed function uses it.
    if (level === 'warn') throw new Error(message);
  },
} satisfies InputOptions;

const OUTPUT = {
  // The base of source paths in every source map.
  dir: join(ROOT, 'dist'),
  format: 'esm',
  entryFileNames: 'index.mjs',
  // Code behind an `import()` is a separate file, which a cold start does not read. All other code is one file, because
  // one file loads faster than several. The bundler may add a file with its helpers (1 KB).
  chunkFileNames: '[name]-[hash].mjs',
  hashCharacters: 'hex',
  codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] },
  minify: true,
  comments: false,
  sourcemap: 'hidden',
  sourcemapExcludeSources: true,
} satisfies OutputOptions;

/**
 * Bundles one handler to `<folder>/index.mjs`. Code that only an `import()` reaches goes to separate files. Source maps
 * and a report are also written to the folder, but not deployed. The same sources give the same bytes.
 *
 * @throws Error with the bundler's message, for example about an import that cannot be resolved
 */
export async function bundleFunction(id: string, handler: string, folder: string): Promise<BundleSize> {
  const chunks = await chunksOf(handler);
  const report = createReport(chunks, OUTPUT.dir, ROOT);
  await mkdir(folder, { recursive: true });
  // Write the entry last, so that its imports exist when a runtime loads the entry.
  for (const { fileName, code, map } of chunks.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry))) {
    await replaceFile(join(folder, `${fileName}.map`), JSON.stringify(map));
    await replaceFile(join(folder, fileName), code);
  }
  await replaceFile(join(folder, REPORT_FILE), JSON.stringify(report));
  const written = chunks.flatMap(({ fileName }) => [fileName, `${fileName}.map`]);
  await removeStale(folder, new Set([...written, REPORT_FILE]), Date.now());
  return measureBundle(id, report);
}

async function chunksOf(handler: string): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    ...BUNDLE_INPUT,
    plugins: [WITHOUT_DOC, WITHOUT_WEB_CHECKSUMS, BUILTIN_MODULES],
    input: { index: handler },
  });
  try {
    const { output } = await bundle.generate(OUTPUT);
    return output.filter((file) => file.type === 'chunk');
  } catch (failure) {
    // The bundler's messages contain colours even if the output is not a terminal.
    throw new Error(stripVTControlCharacters(failure instanceof Error ? failure.message : String(failure)));
  } finally {
    await bundle.close();
  }
}

/** Maximum number of concurrent builds. Memory peaks at 1.2 GB. Without this limit, memory would peak at 4.6 GB. */
const CONCURRENT_BUILDS = 4;

/**
 * Bundles every declared function to `dist/<id>/`. CDK deploys these files, and the local runtime and the bench run
 * them.
 *
 * @throws AggregateError if a function cannot be bundled; the other bundles are written
 */
export async function bundleAll(): Promise<BundleSize[]> {
  const limit = pLimit(CONCURRENT_BUILDS);
  const builds = await Promise.allSettled(
    [...operations, ...backgroundFunctions].map(({ id }) =>
      limit(() => bundleFunction(id, join(ROOT, 'functions', id, 'handler.ts'), join(ROOT, 'dist', id))),
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

/** Writes the OpenAPI document beside the bundles, so that the document describes the deployed code. */
async function writeOpenApi(): Promise<void> {
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  await replaceFile(join(ROOT, 'dist', 'openapi.json'), JSON.stringify(buildOpenApiDocument(operations), null, 2));
}

type Sizes = { functions: readonly BundleSize[]; scripts: readonly ScriptSize[] };

/** Prints the sizes and the exceeded budgets. An exceeded budget sets the exit code to 1. */
function report({ functions: sizes, scripts }: Sizes, milliseconds: number): void {
  console.log(`${sizeTable(sizes)}\n${sizes.length} functions in ${Math.round(milliseconds)} ms`);
  console.log(scriptSizeTable(scripts));
  const violations = [...sizes.flatMap(sizeViolations), ...scriptSizeViolations(scripts)];
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}

const CURRENT = join(ROOT, 'dist', 'sources.sha256');

/** Whether `dist` was built from the sources with this digest and contains all deployed files. */
async function isCurrent(digest: string): Promise<boolean> {
  const folders = [...operations, ...backgroundFunctions].map(({ id }) => join(ROOT, 'dist', id));
  const bundles = folders.map(async (folder) => {
    for (const file of deployedFiles(folder)) await access(join(folder, file));
  });
  const scripts = [...PAGE_CLIENT_FILES, INTEGRITY_FILE].map((file) => access(join(PAGE_CLIENT_FOLDER, file)));
  const [built] = await Promise.all([readFile(CURRENT, 'utf8'), ...bundles, ...scripts]).catch(() => []);
  return built === digest;
}

async function buildAll(digest: string): Promise<Sizes> {
  await rm(CURRENT, { force: true });
  const [functions, scripts] = await Promise.all([bundleAll(), bundlePageClient(), writeOpenApi()]);
  await replaceFile(CURRENT, digest);
  return { functions, scripts };
}

if (import.meta.main) {
  const quiet = process.argv.includes('--quiet');
  try {
    const digest = await sourcesDigest(ROOT);
    // `npm start`, `cdk synth` and the bench pass `--quiet`, because they need no new build if the bundles are current.
    if (!(quiet && (await isCurrent(digest)))) {
      const sizes = await buildAll(digest);
      if (!quiet) {
        report(sizes, performance.now());
        console.log(integrityTable(await readIntegrity()));
      }
    }
  } catch (failure) {
    const { path = 'dist', reason } = writeFailureOf(failure) ?? {};
    const message = failure instanceof Error ? failure.message : failure;
    console.error(
      reason === undefined ? message : `The bundles were not written, because ${path} cannot be written: ${reason}.`,
    );
    process.exitCode = 1;
  }
}
