import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { decode } from '@jridgewell/sourcemap-codec';
import type { OutputChunk } from 'rolldown';
import * as z from 'zod/mini';

/** What is known of a bundle, beside it. */
export const REPORT_FILE = 'report.json';

const ENTRY = 'index.mjs';

const BundleFile = z.object({
  bytes: z.number(),
  /** Files of the bundle and modules of Node that it imports at once. */
  imports: z.array(z.string()),
  /** What an `import()` in it leads to. */
  dynamicImports: z.array(z.string()),
  /** Modules that it was made of, by their path from the root of the repository, and the bytes each has in it. */
  inputs: z.record(z.string(), z.number()),
});
type BundleFile = z.infer<typeof BundleFile>;

/** The files that a build made, by name. */
const BundleReport = z.record(z.string(), BundleFile);
export type BundleReport = Readonly<Record<string, Readonly<BundleFile>>>;

/** @param folder of a bundle */
export const readReport = (folder: string): BundleReport =>
  BundleReport.parse(JSON.parse(readFileSync(join(folder, REPORT_FILE), 'utf8')));

/**
 * @param chunks with their source maps
 * @param folder that the paths of their sources start from
 * @param root that those of the report start from
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

/** How much of a minified file stems from each source of its map, in bytes: what follows a mapping belongs to it. */
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
 * What is deployed of a bundle: its entry and the files that the entry imports, at once or when a request needs them.
 * Its folder may hold others: of an earlier build, or which no code that is left asks for.
 *
 * @param folder of the bundle, with its report
 */
export const deployedFiles = (folder: string): string[] => [...filesFromEntry(readReport(folder))].sort();

/** The files of a bundle that its entry leads to. @throws Error for a build that made no entry */
export const filesFromEntry = (report: BundleReport): ReadonlySet<string> =>
  reached(report, ({ imports, dynamicImports }) => [...imports, ...dynamicImports]);

/** The files of a bundle that its entry leads to without an `import()`. @throws Error for a build that made no entry */
export const filesAtStart = (report: BundleReport): ReadonlySet<string> => reached(report, ({ imports }) => imports);

function reached(report: BundleReport, next: (file: BundleReport[string]) => readonly string[]): ReadonlySet<string> {
  if (report[ENTRY] === undefined) throw new Error(`The build made no ${ENTRY}.`);
  const files = new Set([ENTRY]);
  for (const name of files) {
    const file = report[name];
    for (const imported of file === undefined ? [] : next(file))
      if (report[imported] !== undefined) files.add(imported);
  }
  return files;
}
