import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { backgroundFunctions, operations } from '../../functions/operations.ts';
import { buildStacks } from '../app.ts';
import { pascal } from '../functions/service-function.ts';
import { EDGE_DISTRIBUTION } from '../local/cloudfront/settings.ts';
import { writePlaceholderBundle } from './placeholder-bundle.ts';
import { Template } from './resolve-template.ts';
import { extractPolicies, type Policies } from './template-policies.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DECLARED = [...operations, ...backgroundFunctions].map(({ id }) => id);

/** Settings of a deployment that has everything: no statement is left out for want of one. */
export const COMPLETE: Record<string, string> = {
  mailFrom: 'codes@tributary.example',
  smsSender: 'phone-number/phone-demo',
  edgeDistribution: EDGE_DISTRIBUTION,
  aiModels: 'example.model-v1:0',
};

/** The policies of all functions, as `cdk synth` writes them for the stage. Takes seconds. */
export function synthesizePolicies(stage: string): Policies {
  const { context: flags } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'tributary-policies-'));
  try {
    const dist = join(folder, 'dist');
    for (const id of DECLARED) writePlaceholderBundle(dist, id);
    const app = new App({
      ...{ outdir: join(folder, 'cdk.out'), context: { ...flags, ...COMPLETE, stage } },
      // It takes most of the time, and looks at other things than roles.
      ...{ builtinCloudFormationValidation: false, treeMetadata: false },
    });
    buildStacks(app, dist);
    const { stacks } = app.synth({ skipValidation: true });
    const templates = stacks.map(({ stackName, template }) => Template.parse({ stackName, ...template }));
    const policies = extractPolicies(templates, (logicalId) =>
      DECLARED.find((id) => pascal(id) === logicalId.slice(0, -8)),
    );
    const missing = DECLARED.find((id) => policies[id] === undefined);
    if (missing !== undefined) throw new Error(`No template has the function ${missing}.`);
    return policies;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As JSON, on standard output: CDK's own words go to standard error. */
export const printPolicies = (stage: string): void =>
  void process.stdout.write(JSON.stringify(synthesizePolicies(stage)));
