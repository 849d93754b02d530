import { deriveSigningSecret } from './signing-secret.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** How long messages are also signed with the previous secret after a rotation. */
export const PREVIOUS_SECRET_HOURS = 24;
const HOUR_MS = 3_600_000;

type Signing = Pick<WebhookEndpoint, 'id' | 'secretGeneration' | 'previousSecretGeneration' | 'secretRotatedAt'>;

export const currentSecret = (masterSecret: string, { id, secretGeneration }: Signing): string =>
  deriveSigningSecret(masterSecret, id, secretGeneration);

/** Returns the secrets that sign a message now: the current one and, for a day after a rotation, the previous one. */
export function signingSecrets(masterSecret: string, endpoint: Signing, nowMs: number): string[] {
  const { id, previousSecretGeneration, secretRotatedAt } = endpoint;
  const current = currentSecret(masterSecret, endpoint);
  if (previousSecretGeneration === null || secretRotatedAt === null) return [current];
  const isPreviousValid = nowMs < Date.parse(secretRotatedAt) + PREVIOUS_SECRET_HOURS * HOUR_MS;
  return isPreviousValid ? [current, deriveSigningSecret(masterSecret, id, previousSecretGeneration)] : [current];
}
