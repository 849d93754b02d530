import { toPascalCase } from '../functions/lambda-function.ts';
import { EDGE_DISTRIBUTION } from '../local/cloudfront/settings.ts';
import { Template } from './resolve-template.ts';
import { FUNCTION_IDS, synthesizeWithPlaceholders } from './synthesize-placeholders.ts';
import { extractPolicies, type Policies } from './template-policies.ts';

/** Deployment settings with every optional feature, so that no statement is left out. */
const ALL_SETTINGS: Record<string, string> = {
  mailFrom: 'codes@tributary.example',
  smsSender: 'phone-number/phone-demo',
  edgeDistribution: EDGE_DISTRIBUTION,
  aiModels: 'example.model-v1:0',
};

/** Synthesizes the stacks of a stage, which takes seconds, and returns the policies of all functions. */
export const synthesizePolicies = (stage: string): Policies =>
  synthesizeWithPlaceholders({ ...ALL_SETTINGS, stage }, (stacks) => {
    const templates = stacks.map(({ stackName, template }) => Template.parse({ stackName, ...template }));
    const policies = extractPolicies(templates, (logicalId) =>
      FUNCTION_IDS.find((id) => toPascalCase(id) === logicalId.slice(0, -8)),
    );
    const missing = FUNCTION_IDS.find((id) => policies[id] === undefined);
    if (missing !== undefined)
      throw new Error(
        `The templates of the stage ${stage} don't contain the function ${missing}. Add it to a stack in infra/stacks.`,
      );
    return policies;
  });
