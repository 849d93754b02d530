import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { explain } from '../../nag/acknowledge-findings.ts';
import type { Stage } from '../../settings/stages.ts';
import { removalPolicy } from './removal-policy.ts';

type Described = { id: string; description: string };

/** Creates the secrets that functions read. */
export function secrets(stack: Stack, stage: Stage) {
  const generated = (id: string, description: string) => toPolicyResource(secret(stack, stage, { id, description }));
  const filledByOperator = (id: string, description: string) =>
    toPolicyResource(emptySecret(stack, stage, { id, description }));
  return {
    'secret:leads': generated(
      'LeadSecret',
      'Lead handles derive from this secret. If it is replaced, a retry of an earlier first submit creates a second lead.',
    ),
    'secret:hashes': generated(
      'HashSecret',
      'Key of the hashes of codes, destinations and IP addresses. A new value invalidates outstanding codes and counters.',
    ),
    'secret:cdn': generated(
      'CdnSecret',
      'A CDN in front of the API sends this value in the header x-cdn-proof. ' +
        'The API trusts the viewer address that a CDN sends only if this value is correct.',
    ),
    'secret:webhooks': generated(
      'WebhookSecret',
      'The signing secrets of webhook endpoints derive from this secret. If it is replaced, all of them change at once.',
    ),
    'secret:notifications': generated(
      'NotificationSecret',
      'Key of the tokens in links of notification mails. If it is replaced, the links in earlier mails stop working.',
    ),
    'secret:voice': filledByOperator(
      'VoiceSecret',
      'API key of ElevenLabs. Set it after the first deployment. Until then, no training session can be opened.',
    ),
    'secret:voice-webhook': filledByOperator(
      'VoiceWebhookSecret',
      'Secret with which the voice provider signs its webhooks. Set it after the first deployment. During a rotation, ' +
        'set both values, separated by a space.',
    ),
    'secret:ai': filledByOperator(
      'AiSecret',
      'API key of the OpenAI-compatible endpoint at aiBaseUrl. ' +
        'Set it after the first deployment, or set "none" for an endpoint without a key.',
    ),
  };
}

const toPolicyResource = ({ secretArn }: Secret) => ({ arn: secretArn, name: secretArn });

function secret(stack: Stack, stage: Stage, { id, description }: Described): Secret {
  const created = new Secret(stack, id, {
    description,
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    removalPolicy: removalPolicy(stage),
  });
  return explain(created, {
    SMG4:
      'Automatic rotation would break what depends on the old value, such as handles and codes that derive from it, or a provider ' +
      'that uses the same value. docs/operations.md describes the manual replacement.',
  });
}

/**
 * Creates a secret without a value. A random value would look like a key, and a value in the template could replace the
 * operator's key at a later deployment. Operations that need the secret respond 503 until an operator sets a value.
 */
function emptySecret(stack: Stack, stage: Stage, { id, description }: Described): Secret {
  const created = secret(stack, stage, { id, description });
  const { defaultChild } = created.node;
  if (defaultChild instanceof CfnSecret) defaultChild.addPropertyDeletionOverride('GenerateSecretString');
  new CfnOutput(stack, `Fill${id}`, {
    description: `${description} To keep the value out of the shell history, save it in key.txt, without a line break at the end.`,
    value: `aws secretsmanager put-secret-value --secret-id ${created.secretArn} --secret-string file://key.txt --region ${stack.region}`,
  });
  return created;
}
