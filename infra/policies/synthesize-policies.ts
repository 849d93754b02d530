import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { buildStacks } from '../app.ts';
import { toPascalCase } from '../functions/lambda-function.ts';
import { EDGE_DISTRIBUTION } from '../local/cloudfront/settings.ts';
import { writePlaceholderBundle } from './placeholder-bundle.ts';
import { Template } from './resolve-template.ts';
import { extractPolicies, type Policies } from './template-policies.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FUNCTION_IDS = [...operations, ...backgroundFunctions].map(({ id }) => id);

/** Deployment settings with every optional feature, so that no statement is left out. */
const ALL_SETTINGS: Record<string, string> = {
  mailFrom: 'codes@tributary.example',
  smsSender: 'phone-number/phone-demo',
  edgeDistribution: EDGE_DISTRIBUTION,
  aiModels: 'example.model-v1:0',
};

/** Synthesizes the stacks of a stage, which takes seconds, and returns the policies of all functions. */
export function synthesizePolicies(stage: string): Policies {
  const { context: flags } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'tributary-policies-'));
  try {
    const dist = join(folder, 'dist');
    for (const id of FUNCTION_IDS) writePlaceholderBundle(dist, id);
    const app = new App({
      outdir: join(folder, 'cdk.out'),
      context: { ...flags, ...ALL_SETTINGS, stage },
      // Disabled, because validation takes most of the time and doesn't check roles.
      builtinCloudFormationValidation: false,
      treeMetadata: false,
    });
    buildStacks(app, dist);
    const { stacks } = app.synth({ skipValidation: true });
    const templates = stacks.map(({ stackName, template }) => Template.parse({ stackName, ...template }));
    const policies = extractPolicies(templates, (logicalId) =>
      FUNCTION_IDS.find((id) => toPascalCase(id) === logicalId.slice(0, -8)),
    );
    const missing = FUNCTION_IDS.find((id) => policies[id] === undefined);
    if (missing !== undefined) throw new Error(`The templates don't contain the function ${missing}.`);
    return policies;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Prints the policies as JSON to standard output. The CDK prints to standard error. */
export const printPolicies = (stage: string): void =>
  void process.stdout.write(JSON.stringify(synthesizePolicies(stage)));
