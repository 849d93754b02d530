import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The message of a rejected deployment. */
export const LAYER_MISSING =
  'The DuckDB layer is not built for the locked version: run `npm run layer`, then deploy again. Nothing was changed.';

/**
 * DuckDB as a layer, one per stack: the native library is too large for the functions' bundles. Undefined while it is
 * not built, so that a template can be synthesized without network; `requireLayer` prevents its deployment.
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
 * Adds a rule that always fails if the layer is missing. CloudFormation checks it before it creates or changes
 * anything.
 */
export function requireLayer(stack: Stack, dist: string): void {
  if (isBuilt(dist)) return;
  new CfnRule(stack, 'DuckDbLayerBuilt', {
    assertions: [{ assert: Fn.conditionEquals('missing', 'built'), assertDescription: LAYER_MISSING }],
  });
}

/** Whether the folder holds the library in the version that the project is locked to. */
function isBuilt(dist: string): boolean {
  if (!existsSync(libraryFile(dist))) return false;
  return readFileSync(join(modulesFolder(dist), 'package.json'), 'utf8') === JSON.stringify(lockedParts().manifest);
}

/** DuckDB's part of the project's lock file, so that the layer has the same checksums as the tested version. */
function lockedParts() {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const version = packages[`node_modules/${PACKAGE}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${PACKAGE}.`);
  const manifest = { name: 'duckdb-layer', version: '1.0.0', dependencies: { [PACKAGE]: version } };
  const parts = Object.entries(packages).filter(([path]) => LAYER_PARTS.test(path));
  return {
    manifest,
    lock: { ...manifest, lockfileVersion: 3, packages: { '': manifest, ...Object.fromEntries(parts) } },
  };
}

/** Installs the locked DuckDB for Lambda into `<dist>/layers/duckdb`, on any platform. */
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
    throw new Error(`${manifest.dependencies[PACKAGE]} came without its linux-arm64 library.`);
}

if (import.meta.main) buildLayer(join(ROOT, 'dist'));
