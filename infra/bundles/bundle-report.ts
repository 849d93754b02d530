import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { decode } from '@jridgewell/sourcemap-codec';
import type { OutputChunk } from 'rolldown';
import * as z from 'zod/mini';

export const REPORT_FILE = 'report.json';

const ENTRY = 'index.mjs';

const BundleFile = z.object({
  bytes: z.number(),
  /** Bundle files and Node modules that this file imports statically. */
  imports: z.array(z.string()),
  /** Bundle files and Node modules that this file imports with `import()`. */
  dynamicImports: z.array(z.string()),
  /** Bytes of each source module in this file, by path from the root of the repository. */
  inputs: z.record(z.string(), z.number()),
});
type BundleFile = z.infer<typeof BundleFile>;

/** The files of a bundle, by name. */
const BundleReport = z.record(z.string(), BundleFile);
export type BundleReport = Readonly<Record<string, Readonly<BundleFile>>>;

/** @param folder folder of a bundle */
export const readReport = (folder: string): BundleReport =>
  BundleReport.parse(JSON.parse(readFileSync(join(folder, REPORT_FILE), 'utf8')));

/**
 * @param chunks chunks with their source maps
 * @param folder base of the source paths in the maps
 * @param root base of the paths in the report
 */
export function createReport(chunks: readonly OutputChunk[], folder: string, root: string): BundleReport {
  const files = chunks.map(({ fileName, code, map, imports, dynamicImports }) => {
    const inputs: Record<string, number> = {};
    for (const [source, bytes] of bytesBySource(code, map?.mappings ?? '')) {
      const path = map?.sources[source];
      if (path !== undefined) inputs[relative(root, resolve(folder, path))] = bytes;
    }
    return [fileName, { bytes: Buffer.byteLength(code), imports, dynamicImports, inputs }] as const;
  });
  return Object.fromEntries(files);
}

/**
 * Returns how many bytes of a minified file come from each source. The key is the source's index in the source map. A
 * mapping applies to the text up to the next mapping.
 */
function bytesBySource(code: string, mappings: string): ReadonlyMap<number, number> {
  const bytes = new Map<number, number>();
  const lines = code.split('\n');
  for (const [line, segments] of decode(mappings).entries()) {
    for (const [at, [column, source]] of segments.entries()) {
      const text = lines[line]?.slice(column, segments[at + 1]?.[0]) ?? '';
      if (source !== undefined) bytes.set(source, (bytes.get(source) ?? 0) + Buffer.byteLength(text));
    }
  }
  return bytes;
}

/**
 * Returns the deployed files of a bundle, that is, all files that are reachable from its entry. Source maps and files
 * of earlier builds can also be in the folder, but are not deployed.
 *
 * @param folder folder of the bundle, with its report
 */
export const deployedFiles = (folder: string): string[] => [...filesFromEntry(readReport(folder))].sort();

/** Returns all files that are reachable from the entry. @throws Error if the report has no entry */
export const filesFromEntry = (report: BundleReport): ReadonlySet<string> =>
  reached(report, ({ imports, dynamicImports }) => [...imports, ...dynamicImports]);

/** Returns the files that are reachable from the entry without `import()`. @throws Error if there is no entry */
export const filesAtStart = (report: BundleReport): ReadonlySet<string> => reached(report, ({ imports }) => imports);

function reached(report: BundleReport, next: (file: BundleReport[string]) => readonly string[]): ReadonlySet<string> {
  if (report[ENTRY] === undefined)
    throw new Error(`The bundle report does not list the entry ${ENTRY}. Run "npm run build".`);
  const files = new Set([ENTRY]);
  for (const name of files) {
    const file = report[name];
    for (const imported of file === undefined ? [] : next(file))
      if (report[imported] !== undefined) files.add(imported);
  }
  return files;
}
