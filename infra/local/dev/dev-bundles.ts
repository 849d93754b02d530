import { readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type Plugin, type PluginContext, rolldown } from 'rolldown';
import { BUILTIN_MODULES } from '../../bundles/builtin-modules.ts';
import { BUNDLE_INPUT } from '../../bundles/bundle.ts';

/** The source did not build. The message names the file and line. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

export type DevBundles = {
  /** Ids of the bundles that contain one of these source files. */
  affectedBy(files: readonly string[]): string[];
  /** Builds bundles into a new folder. @throws BuildError */
  build(ids: readonly string[]): Promise<Build>;
  /** URLs of the bundles in use, by id. */
  urls(): BundleUrls;
  /**
   * Deletes the folders of earlier builds, except folders with a bundle that is in `urls()` or `inUse`.
   */
  removeExcept(inUse: readonly BundleUrls[]): Promise<void>;
};

type Build = {
  /** URLs of the new bundles, and of the bundles that this build does not replace. */
  urls: BundleUrls;
  /** Puts the new bundles into use. */
  commit(): void;
};

export type BundleUrls = Readonly<Record<string, string>>;

type Bundle = { url: string; sources: ReadonlySet<string> };

/**
 * Creates unminified bundles with inline source maps, for `npm run dev`. All bundles of one build share one module
 * graph, because separate builds would take much longer (ADR 0026). Therefore, these bundles also share the state of
 * modules. In a deployment and with `npm start`, functions share no state.
 *
 * @param folder folder for the bundles, inside the repository, so that bundles can import installed packages
 * @param entryOf returns the path of a bundle's entry
 */
export function createDevBundles(folder: string, entryOf: (id: string) => string): DevBundles {
  const bundles = new Map<string, Bundle>();
  let builds = 0;
  const urls = () => Object.fromEntries([...bundles].map(([id, { url }]) => [id, url]));
  const folderOf = (url: string) => join(folder, relative(folder, fileURLToPath(url)).split(sep)[0] ?? '');
  return {
    affectedBy: (files) =>
      [...bundles].filter(([, { sources }]) => files.some((file) => sources.has(file))).map(([id]) => id),
    build: async (ids) => {
      builds += 1;
      const dir = join(folder, `${builds}`);
      const entries = Object.fromEntries(ids.map((id) => [id, entryOf(id)]));
      let sources: ReadonlyMap<string, ReadonlySet<string>> = new Map();
      const bundle = await rolldown({
        ...BUNDLE_INPUT,
        plugins: [BUILTIN_MODULES, collectSources(entries, (collected) => (sources = collected))],
        input: entries,
      });
      try {
        await bundle.write({
          dir,
          format: 'esm',
          entryFileNames: '[name].mjs',
          chunkFileNames: 'chunks/[name]-[hash].mjs',
          sourcemap: 'inline',
          sourcemapExcludeSources: true,
        });
      } catch (cause) {
        throw new BuildError(describeFailure(cause), { cause });
      } finally {
        await bundle.close();
      }
      const built = ids.map((id): [string, Bundle] => [
        id,
        { url: pathToFileURL(join(dir, `${id}.mjs`)).href, sources: sources.get(id) ?? new Set() },
      ]);
      return {
        urls: { ...urls(), ...Object.fromEntries(built.map(([id, { url }]) => [id, url])) },
        commit: () => {
          for (const [id, bundle] of built) bundles.set(id, bundle);
        },
      };
    },
    urls,
    removeExcept: async (inUse) => {
      const kept = new Set([urls(), ...inUse].flatMap((used) => Object.values(used).map(folderOf)));
      const names = await readdir(folder);
      // Keep the folder of the latest build even if no bundle in it is in use, because this build may still be running.
      const removed = names.filter((name) => Number(name) < builds && !kept.has(join(folder, name)));
      await Promise.all(removed.map((name) => rm(join(folder, name), { recursive: true, force: true })));
    },
  };
}

/** Collects, for each entry, the source files that its bundle contains. Files of packages are left out. */
const collectSources = (
  entries: Readonly<Record<string, string>>,
  collect: (sources: ReadonlyMap<string, ReadonlySet<string>>) => void,
): Plugin => ({
  name: 'collect-sources',
  buildEnd(error) {
    if (error) return;
    collect(new Map(Object.entries(entries).map(([id, entry]) => [id, reachableSources(this, entry)])));
  },
});

function reachableSources(build: PluginContext, entry: string): ReadonlySet<string> {
  const sources = new Set([entry]);
  for (const file of sources) {
    const { importedIds = [], dynamicallyImportedIds = [] } = build.getModuleInfo(file) ?? {};
    for (const imported of [...importedIds, ...dynamicallyImportedIds]) {
      if (!imported.includes('node_modules') && !imported.startsWith('\0')) sources.add(imported);
    }
  }
  return sources;
}

/** The bundler's message without its headline and colours. */
const describeFailure = (cause: unknown): string =>
  stripVTControlCharacters(cause instanceof Error ? cause.message : String(cause))
    .replace(/^Build failed with \d+ errors?:\s*/, '')
    .trim();
