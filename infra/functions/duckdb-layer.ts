import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { Architecture, Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import * as z from 'zod/mini';

const ROOT = join(import.meta.dirname, '..', '..');
const PACKAGE = '@duckdb/node-api';
const LAYER_PARTS = /^node_modules\/(?:@duckdb\/|detect-libc$)/;

const Lock = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.optional(z.string()) })) });

const layerFolder = (dist: string) => join(dist, 'layers', 'duckdb');
const modulesFolder = (dist: string) => join(layerFolder(dist), 'nodejs');
const libraryFile = (dist: string) =>
  join(modulesFolder(dist), 'node_modules', '@duckdb', 'node-bindings-linux-arm64', 'libduckdb.so');

/** Logical id of the rule that rejects the deployment of a stack without its layer. */
export const LAYER_RULE = 'DuckDbLayerBuilt';

export const LAYER_MISSING =
  'This stack was not changed, because its DuckDB layer is missing or outdated. Run `npm run layer`, then deploy again.';

/**
 * Returns the layer with DuckDB, whose native library is too large for a bundle. The functions of a stack that use
 * DuckDB share the layer. Returns undefined if the layer is not built, so that a template can be synthesized without
 * network. `requireLayer` prevents the deployment of such a template.
 */
export function duckdbLayer(stack: Stack, dist: string): LayerVersion | undefined {
  if (!isBuilt(dist)) return undefined;
  const existing = stack.node.tryFindChild('DuckDb');
  if (existing instanceof LayerVersion) return existing;
  return new LayerVersion(stack, 'DuckDb', {
    description: 'DuckDB for Node on linux-arm64',
    code: Code.fromAsset(layerFolder(dist)),
    compatibleArchitectures: [Architecture.ARM_64],
    compatibleRuntimes: [Runtime.NODEJS_24_X],
  });
}

/**
 * If the layer is not built, adds a rule that always fails. CloudFormation checks rules before it creates or changes
 * resources.
 */
export function requireLayer(stack: Stack, dist: string): void {
  if (isBuilt(dist)) return;
  new CfnRule(stack, LAYER_RULE, {
    assertions: [{ assert: Fn.conditionEquals('missing', 'built'), assertDescription: LAYER_MISSING }],
  });
}

/** Returns the unzipped size of the layer in bytes; undefined if the layer is missing or outdated. */
export function builtLayerBytes(dist: string): number | undefined {
  if (!isBuilt(dist)) return undefined;
  const entries = readdirSync(layerFolder(dist), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}

/** Whether the layer's folder holds the library, in the version that the project's lock file names. */
function isBuilt(dist: string): boolean {
  if (!existsSync(libraryFile(dist))) return false;
  return readFileSync(join(modulesFolder(dist), 'package.json'), 'utf8') === JSON.stringify(lockedParts().manifest);
}

/**
 * Returns a manifest and a lock file for the layer. They contain DuckDB's part of the project's lock file, so that the
 * layer is installed with the checksums of the tested version.
 */
function lockedParts() {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const version = packages[`node_modules/${PACKAGE}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${PACKAGE}. Run "npm install".`);
  const manifest = { name: 'duckdb-layer', version: '1.0.0', dependencies: { [PACKAGE]: version } };
  const parts = Object.entries(packages).filter(([path]) => LAYER_PARTS.test(path));
  return {
    manifest,
    lock: { ...manifest, lockfileVersion: 3, packages: { '': manifest, ...Object.fromEntries(parts) } },
  };
}

/** Installs the locked version of DuckDB for Lambda's platform into `<dist>/layers/duckdb`. Runs on any platform. */
function buildLayer(dist: string): void {
  const folder = modulesFolder(dist);
  const { manifest, lock } = lockedParts();
  rmSync(layerFolder(dist), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const target = ['--os=linux', '--cpu=arm64', '--libc=glibc'];
  execFileSync('npm', ['ci', ...target, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (!existsSync(libraryFile(dist)))
    throw new Error(
      `npm installed ${PACKAGE} ${manifest.dependencies[PACKAGE]} without its library for linux-arm64. ` +
        'Check that package-lock.json contains @duckdb/node-bindings-linux-arm64.',
    );
}

if (import.meta.main) buildLayer(join(ROOT, 'dist'));
