import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import type { Grant } from '../../functions/grants.ts';
import { buildStacks } from '../../infra/app.ts';
import { toPascalCase } from '../../infra/functions/lambda-function.ts';
import { requiredGrants } from '../../infra/functions/required-grants.ts';
import { writePlaceholderBundle } from '../../infra/policies/placeholder-bundle.ts';
import { isAdministrative } from '../../infra/stacks/admin/is-administrative.ts';
import { once } from '../../shared/platform/once.ts';
import { synthesisFolder } from './synthesis-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');

type DeployedFunction = {
  id: string;
  grants: readonly Grant[];
  limits: { timeoutSeconds: number; memoryMb: number };
  duckdb?: boolean | undefined;
};

/** Every declared function with its deployed grants. */
export const deployedFunctions: readonly DeployedFunction[] = [
  ...operations.map((declared) => ({ ...declared, grants: requiredGrants(declared) })),
  ...backgroundFunctions,
];

/** Synthesizes the stacks of dev, or of another stage, once per process. Tests must not change the result. */
export function synthesizedStage(stage = 'dev'): Synthesized {
  const synthesized = stages.get(stage) ?? synthesize({ stage });
  stages.set(stage, synthesized);
  return synthesized;
}

const stages = new Map<string, Synthesized>();

/**
 * Synthesizes the stacks in this process.
 *
 * @param built whether functions have their built bundles instead of placeholders
 * @param layer whether the DuckDB layer was built
 * @param validate whether CDK validates the templates, which takes most of the time
 */
export function synthesize(
  context: Record<string, string> = {},
  { built = false, layer = true, validate = false } = {},
) {
  const { context: flags } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const folder = createFolder();
  const dist = built || !layer ? writeDist(join(folder, 'dist'), { built, layer }) : sharedPlaceholders();
  const app = new App({
    outdir: join(folder, 'cdk.out'),
    context: { ...flags, ...context },
    builtinCloudFormationValidation: validate,
    treeMetadata: false,
  });
  const { resources, ...stacks } = buildStacks(app, dist);
  const assembly = app.synth();
  return {
    app,
    resources,
    assembly,
    stacks,
    templates: {
      data: Template.fromStack(stacks.data),
      streaming: Template.fromStack(stacks.streaming),
      lake: Template.fromStack(stacks.lake),
      api: Template.fromStack(stacks.api),
      admin: Template.fromStack(stacks.admin),
      web: Template.fromStack(stacks.web),
      observability: Template.fromStack(stacks.observability),
    },
  };
}

const createFolder = (): string => mkdtempSync(join(synthesisFolder(), 'synth-'));

/** All syntheses of a process read the same placeholders, so that the CDK hashes them once. */
const sharedPlaceholders = once(() => writeDist(join(createFolder(), 'dist'), { built: false, layer: true }));

function writeDist(dist: string, { built, layer }: { built: boolean; layer: boolean }): string {
  for (const { id } of deployedFunctions) {
    if (built) cpSync(join(ROOT, 'dist', id), join(dist, id), { recursive: true });
    else {
      writePlaceholderBundle(dist, id);
      put(join(dist, id), 'index.mjs.map', '{}');
    }
  }
  if (layer) putLayer(dist);
  return dist;
}

function put(folder: string, name: string, content: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
}

export function putLayer(dist: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const duckdb = '@duckdb/node-api';
  const manifest = { name: 'duckdb-layer', version: '1.0.0', dependencies: { [duckdb]: dependencies[duckdb] } };
  const nodejs = join(dist, 'layers', 'duckdb', 'nodejs');
  put(nodejs, 'package.json', JSON.stringify(manifest));
  put(join(nodejs, 'node_modules', '@duckdb', 'node-bindings-linux-arm64'), 'libduckdb.so', 'a library');
}

export type Synthesized = ReturnType<typeof synthesize>;

export function stackOf(id: string): 'streaming' | 'admin' | 'api' {
  if (id.startsWith('background/')) return 'streaming';
  return operations.some((one) => one.id === id && isAdministrative(one)) ? 'admin' : 'api';
}

/** Finds a deployed function, its role and its log group, with their stack. */
export function deployed({ stacks, templates }: Synthesized, id: string) {
  const where = stackOf(id);
  const find = (type: string, name: string) => {
    const found = Object.entries(templates[where].findResources(type)).find(
      ([logicalId]) => logicalId.slice(0, -8) === name,
    );
    if (found === undefined) throw new Error(`There is no ${type} ${name}.`);
    return { logicalId: found[0], properties: found[1].Properties };
  };
  const stack: Stack = stacks[where];
  return {
    stack,
    lambda: find('AWS::Lambda::Function', toPascalCase(id)),
    role: find('AWS::IAM::Role', `${toPascalCase(id)}Role`),
    logs: find('AWS::Logs::LogGroup', `${toPascalCase(id)}Logs`),
  };
}
