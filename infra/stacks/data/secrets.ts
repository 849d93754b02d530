import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { explain } from '../../nag/acknowledge-findings.ts';
import type { Stage } from '../../settings/stages.ts';
import { removalPolicy } from './removal-policy.ts';

type Described = { id: string; description: string };

/** The secrets that functions read. */
export function secrets(stack: Stack, stage: Stage) {
  const byChance = (id: string, description: string) => inPolicy(secret(stack, stage, { id, description }));
  const byHand = (id: string, description: string) => inPolicy(emptySecret(stack, stage, { id, description }));
  return {
    'secret:leads': byChance(
      'LeadSecret',
      'Derives handles of leads from idempotency keys; a new value would break retries of the last 24 hours.',
    ),
    'secret:hashes': byChance(
      'HashSecret',
      'Keys the hashes of codes, destinations and addresses; a new value voids outstanding codes and counters.',
    ),
    'secret:cdn': byChance(
      'CdnSecret',
      'A CDN before the API proves itself with it in the header x-cdn-proof; only then its viewer address is believed.',
    ),
    'secret:voice': byHand(
      'VoiceSecret',
      'The API key of ElevenLabs, to be put here by hand; until then no session can be opened.',
    ),
    'secret:voice-webhook': byHand(
      'VoiceWebhookSecret',
      'Signs what the voice provider tells of calls, to be put here by hand; several, separated by a space, while one replaces the other.',
    ),
    'secret:ai': byHand(
      'AiSecret',
      'The key of the OpenAI-compatible endpoint that aiBaseUrl names, to be put here by hand; with "none" no key is sent.',
    ),
  };
}

const inPolicy = ({ secretArn }: Secret) => ({ arn: secretArn, name: secretArn });

function secret(stack: Stack, stage: Stage, { id, description }: Described): Secret {
  const made = new Secret(stack, id, {
    description,
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    removalPolicy: removalPolicy(stage),
  });
  return explain(made, {
    SMG4:
      'Automatic rotation would break what depends on the old value: handles and codes that derive from it, or a provider ' +
      'that has the other copy. docs/operations.md describes the manual replacement.',
  });
}
/**
 * Creates a secret without a value: a random one would look like a key, and one in the template could replace the key
 * at a later deployment. Functions that read it respond 503 until an operator sets a value.
 */
function emptySecret(stack: Stack, stage: Stage, { id, description }: Described): Secret {
  const made = secret(stack, stage, { id, description });
  const { defaultChild } = made.node;
  if (defaultChild instanceof CfnSecret) defaultChild.addPropertyDeletionOverride('GenerateSecretString');
  new CfnOutput(stack, `Fill${id}`, {
    description: `${description} From a file, so that no shell remembers it; it has no end of line.`,
    value: `aws secretsmanager put-secret-value --secret-id ${made.secretArn} --secret-string file://key.txt --region ${stack.region}`,
  });
  return made;
}
