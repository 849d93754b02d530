import { createHmac } from 'node:crypto';
import { SECRET_PREFIX } from './signing-secret.ts';

export type SignableMessage = {
  /** Must not contain a dot, because dots separate the signed parts. */
  id: string;
  /** Seconds since the epoch at which the attempt starts. */
  timestampSeconds: number;
  body: string;
};

/** Returns the headers of one attempt, as Standard Webhooks specifies them. @throws Error when `signMessage` throws */
export function headersOf(message: SignableMessage & { secrets: readonly string[] }): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': signMessage(message),
  };
}

/**
 * Returns the header `webhook-signature`, with one signature per secret, as the specification of Standard Webhooks
 * describes (https://www.standardwebhooks.com, "Signature scheme", symmetric).
 *
 * @throws Error if there is no secret, or a secret does not start with `whsec_`
 */
export function signMessage(message: SignableMessage & { secrets: readonly string[] }): string {
  const { id, timestampSeconds, body, secrets } = message;
  if (secrets.length === 0) throw new Error(`Message ${id} must be signed with at least one secret.`);
  const signed = `${id}.${timestampSeconds}.${body}`;
  return secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`).join(' ');
}

function keyOf(secret: string): Buffer {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error(`A signing secret must start with ${SECRET_PREFIX}.`);
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}
