import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import type { LocalSecrets } from '../runtime/secrets.ts';

/**
 * The embedded issuer's name. It has no port, because user ids derive from it: memberships would not survive a
 * restart that finds another free port.
 */
export const ISSUER = 'http://issuer.tributary.localhost';
export const AUDIENCE = 'tributary';

type TokenOptions = {
  /** Negative for a token that has expired. */
  expiresInSeconds?: number;
};

export type Issuer = { sign(subject: string, options?: TokenOptions): Promise<string> };

export const HOURS_OF_LIFE = 12;

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs access tokens with the key that the embedded token issuer publishes. */
export function createLocalIssuer({ issuerKey }: LocalSecrets): Issuer {
  const key = createPrivateKey({ key: issuerKey, format: 'jwk' });
  const header = encoded({ typ: 'JWT', alg: issuerKey.alg, kid: issuerKey.kid });
  return {
    sign: async (subject, { expiresInSeconds = HOURS_OF_LIFE * 3600 } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const exp = now + expiresInSeconds;
      const iat = Math.min(now, exp - 60);
      const payload = encoded({ iss: ISSUER, aud: AUDIENCE, sub: subject, iat, nbf: iat, exp, jti: randomUUID() });
      const signature = sign('sha256', Buffer.from(`${header}.${payload}`), key).toString('base64url');
      return `${header}.${payload}.${signature}`;
    },
  };
}
