import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type cx_api } from 'aws-cdk-lib';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { buildStacks } from '../app.ts';
import { writePlaceholderBundle } from './placeholder-bundle.ts';

/** Ids of all deployed functions. */
export const FUNCTION_IDS = [...operations, ...backgroundFunctions].map(({ id }) => id);

/**
 * Synthesizes the stacks with placeholders instead of bundles. Takes seconds, and needs no build.
 *
 * @param context settings in addition to those of cdk.json
 * @param read reads the result, whose files are deleted afterwards
 */
export function synthesizeWithPlaceholders<T>(
  context: Readonly<Record<string, unknown>>,
  read: (stacks: readonly cx_api.CloudFormationStackArtifact[]) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-synthesis-'));
  try {
    const dist = join(folder, 'dist');
    for (const id of FUNCTION_IDS) writePlaceholderBundle(dist, id);
    const app = new App({
      outdir: join(folder, 'cdk.out'),
      // The warnings are for the operator who deploys. Without this setting, the CDK would print them here too.
      context: { ...cdkJson.context, ...context, '@aws-cdk/core:annotationsInValidationReport': false },
      // Disabled, because validation takes most of the time and does not change the templates.
      builtinCloudFormationValidation: false,
      treeMetadata: false,
    });
    buildStacks(app, dist);
    return read(app.synth({ skipValidation: true }).stacks);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
