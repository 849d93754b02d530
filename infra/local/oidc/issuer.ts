import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import type { LocalSecrets } from '../runtime/secrets.ts';

/**
 * The name of the local token issuer. User ids derive from this name. Therefore, the name contains no port: the port
 * can change at a restart, but the user ids in stored memberships must remain valid.
 */
export const ISSUER = 'http://issuer.tributary.localhost';
export const AUDIENCE = 'tributary';

type TokenOptions = {
  /** A negative value creates an expired token. */
  expiresInSeconds?: number;
};

export type Issuer = { sign(subject: string, options?: TokenOptions): Promise<string> };

export const TOKEN_LIFETIME_HOURS = 12;

const encodePart = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Creates an issuer of access tokens. It signs them with the key that the OIDC stand-in publishes. */
export function createLocalIssuer({ issuerKey }: LocalSecrets): Issuer {
  const key = createPrivateKey({ key: issuerKey, format: 'jwk' });
  const header = encodePart({ typ: 'JWT', alg: issuerKey.alg, kid: issuerKey.kid });
  return {
    sign: async (subject, { expiresInSeconds = TOKEN_LIFETIME_HOURS * 3600 } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const exp = now + expiresInSeconds;
      const iat = Math.min(now, exp - 60);
      const payload = encodePart({ iss: ISSUER, aud: AUDIENCE, sub: subject, iat, nbf: iat, exp, jti: randomUUID() });
      const signature = sign('sha256', Buffer.from(`${header}.${payload}`), key).toString('base64url');
      return `${header}.${payload}.${signature}`;
    },
  };
}
