import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

/**
 * Derives the signing secret of an endpoint, so that no table stores it. Each secret generation has another secret. The
 * JSON array delimits its parts, so that two different secrets never have equal input for the hash.
 *
 * @returns `whsec_` and 32 bytes in base64, the format of Standard Webhooks
 */
export function deriveSigningSecret(masterSecret: string, endpointId: string, generation: string): string {
  const purpose = JSON.stringify(['webhook-signing-secret', endpointId, generation]);
  return `${SECRET_PREFIX}${createHmac('sha256', masterSecret).update(purpose).digest('base64')}`;
}
