import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import { toPascalCase } from '../../../infra/functions/lambda-function.ts';
import { ensureBundles } from '../bundles.ts';
import { synthesize } from '../stacks.ts';
import type { BareFunction } from './bare-function.ts';
import { resolved, type Templates, templatesOf } from './template-values.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const Properties = z.looseObject({
  Handler: z.string(),
  Runtime: z.string(),
  MemorySize: z.number(),
  Timeout: z.number(),
  Code: z.looseObject({ S3Key: z.string() }),
  Environment: z.optional(z.object({ Variables: z.record(z.string(), z.unknown()) })),
  Layers: z._default(z.array(z.unknown()), []),
});

export type Deployed = BareFunction & { id: string | undefined; runtime: string };

/**
 * Builds the bundles unless they are current. Then synthesizes the app with these bundles.
 *
 * @param duckdb the folder that replaces `/opt` for functions with the DuckDB layer
 */
export function synthesizeReal(context: Record<string, string>, duckdb: string) {
  ensureBundles();
  const { assembly } = synthesize(context, { built: true });
  const templates = templatesOf(assembly.stacks);
  return { templates, functions: functionsOf(templates, assembly.directory, duckdb) };
}

const NODE_MODULES = ['@duckdb', 'detect-libc'];

/**
 * Copies DuckDB for this machine into a folder with the layout of the layer.
 *
 * @returns the folder that replaces `/opt`
 */
export function localLayer(folder: string): string {
  const modules = join(folder, 'opt', 'nodejs', 'node_modules');
  const installed = new Set(readdirSync(join(ROOT, 'node_modules')));
  for (const name of NODE_MODULES.filter((one) => installed.has(one))) {
    cpSync(join(ROOT, 'node_modules', name), join(modules, name), { recursive: true });
  }
  return join(folder, 'opt');
}

/** Returns all functions of all templates, including functions that are not declared. */
function functionsOf(templates: Templates, assembly: string, duckdb: string): Deployed[] {
  const idOf = new Map([...operations, ...backgroundFunctions].map(({ id }) => [toPascalCase(id), id]));
  return [...templates].flatMap(([stack, { Resources }]) =>
    Object.entries(Resources).flatMap(([logicalId, { Type, Properties: said }]) => {
      if (Type !== 'AWS::Lambda::Function') return [];
      const { Handler, Runtime, MemorySize, Timeout, Code, Environment, Layers } = Properties.parse(said);
      const variables = Object.entries(Environment?.Variables ?? {});
      return {
        id: idOf.get(logicalId.slice(0, -8)),
        name: logicalId,
        runtime: Runtime,
        handler: Handler,
        memoryMb: MemorySize,
        timeoutSeconds: Timeout,
        asset: join(assembly, `asset.${Code.S3Key.replace('.zip', '')}`),
        environment: Object.fromEntries(variables.map(([name, value]) => [name, resolved(templates, stack, value)])),
        ...(JSON.stringify(Layers).includes('DuckDb') && { layers: duckdb }),
        secretsExtension: JSON.stringify(Layers).includes('Paramsandsecrets'),
      };
    }),
  );
}
