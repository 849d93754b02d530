import * as z from 'zod/mini';
import { isInferenceProfile } from '../../settings/ai-settings.ts';
import { type Aws, hasCode, permitted } from '../aws.ts';
import { type Check, limitation, ok } from '../check.ts';

const Profile = z.object({ status: z.string() });
const Availability = z.object({
  agreementAvailability: z.object({ status: z.string() }),
  authorizationStatus: z.string(),
  entitlementAvailability: z.string(),
  regionAvailability: z.string(),
});

/**
 * The account must have access to the text models. The first call of a third-party model subscribes the account, and
 * therefore needs permissions of AWS Marketplace (Bedrock user guide, model access). The roles of the functions lack
 * these permissions, so an operator must make the first call.
 */
export const textModels = (aws: Aws, models: readonly string[]): Check => ({
  name: 'Text models',
  async run() {
    const issues = (await Promise.all(models.map((model) => issueOf(aws, model, models)))).filter(
      (issue) => issue !== undefined,
    );
    if (issues.length === 0) return ok(`${models.length} available, the default is ${models[0]}`);
    return limitation(issues.join(' '), {
      advice:
        `In the console, region ${aws.region}: Amazon Bedrock > Model catalog > the model > Open in playground. ` +
        'The first prompt subscribes the account. Anthropic asks for details of the use case first. ' +
        'These commands list all ids:',
      commands: [
        aws.command("bedrock list-foundation-models --query 'modelSummaries[].modelId'"),
        aws.command("bedrock list-inference-profiles --query 'inferenceProfileSummaries[].inferenceProfileId'"),
      ],
    });
  },
});

async function issueOf(aws: Aws, model: string, models: readonly string[]): Promise<string | undefined> {
  try {
    if (isInferenceProfile(model)) return await profileIssue(aws, model);
    const id = model.replace(/^arn:.*\//, '');
    // Don't check a model in another region. It is only in the settings because an inference profile can route calls to
    // that region.
    const isHere = !model.startsWith('arn:') || model.includes(`:bedrock:${aws.region}:`);
    return isHere ? await modelIssue(aws, id, models.some(isInferenceProfile)) : undefined;
  } catch (error) {
    if (!hasCode(error, 'ResourceNotFoundException', 'ValidationException')) throw error;
    return `Bedrock does not have ${model} in ${aws.region}.`;
  }
}

async function profileIssue(aws: Aws, profile: string): Promise<string | undefined> {
  const path = `/inference-profiles/${encodeURIComponent(profile)}`;
  const body = await permitted('bedrock:GetInferenceProfile', aws.request('bedrock', { path }));
  const { status } = Profile.parse(JSON.parse(body));
  return status === 'ACTIVE' ? undefined : `The inference profile ${profile} has the status ${status}.`;
}

/** @param isRouted whether the settings contain inference profiles, which can route calls to another region */
async function modelIssue(aws: Aws, id: string, isRouted: boolean): Promise<string | undefined> {
  const path = `/foundation-model-availability/${encodeURIComponent(id)}`;
  const body = await permitted('bedrock:GetFoundationModelAvailability', aws.request('bedrock', { path }));
  const found = Availability.parse(JSON.parse(body));
  if (found.regionAvailability !== 'AVAILABLE' && !isRouted) return `Bedrock does not offer ${id} in ${aws.region}.`;
  if (found.authorizationStatus !== 'AUTHORIZED') return `The account is not authorized to use ${id}.`;
  if (found.agreementAvailability.status !== 'AVAILABLE' || found.entitlementAvailability !== 'AVAILABLE')
    return `The account is not subscribed to ${id}.`;
  return undefined;
}
