import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

/**
 * Derives the signing secret of an endpoint, so that no table needs to store secrets. Each secret generation has a
 * different secret. The JSON array ensures that different parts never give the same text.
 *
 * @returns `whsec_` and 32 bytes in base64, the format of Standard Webhooks
 */
export function deriveSigningSecret(masterSecret: string, endpointId: string, generation: string): string {
  const purpose = JSON.stringify(['webhook-signing-secret', endpointId, generation]);
  return `${SECRET_PREFIX}${createHmac('sha256', masterSecret).update(purpose).digest('base64')}`;
}
