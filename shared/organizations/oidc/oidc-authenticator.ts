import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { HttpError } from '../../http/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { once } from '../../platform/once.ts';
import { deriveUserId } from '../user-id.ts';

export type Authenticator = {
  /** The user of an `Authorization: Bearer` header. Throws 401, or 503 when the issuer's keys can't be read. */
  authenticate(authorization: string | undefined, log: Logger): Promise<string>;
};

export type OidcSettings = { issuer: string; audience: string; jwksUri: string };

const ALGORITHMS = ['RS256', 'ES256'];
const CLOCK_LEEWAY_SECONDS = 5;
const JWKS_TIMEOUT_MS = 3_000;
const JWKS_MAX_AGE_MS = 10 * 60_000;
/** The shortest time between two fetches for unknown key ids: limits the requests that strangers can cause at the issuer. */
const JWKS_COOLDOWN_MS = 2_000;
const TOKEN_CHARACTERS_MAX = 16_384;

/** Claims that only id tokens carry (OpenID Connect Core 1.0, sections 2 and 3.3.2.11). */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash', 'nonce'];

/** Access tokens of one OIDC issuer. Its keys are fetched on first use, for an unknown key id, and every 10 minutes. */
export function createOidcAuthenticator(issuer: () => OidcSettings): Authenticator {
  const verifier = once(() => verifierOf(issuer()));
  return {
    authenticate: async (authorization, log) => {
      const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) throw unauthorized('The Authorization header must contain a Bearer token.');
      if (token.length > TOKEN_CHARACTERS_MAX) throw unauthorized('The token is not valid.');
      const verify = verifier();
      try {
        return await verify(token);
      } catch (cause) {
        throw toAuthenticationError(cause, log);
      }
    },
  };
}

/** The issuer's key set is unreachable or invalid. */
class KeysUnreadableError extends Error {}

function verifierOf({ issuer, audience, jwksUri }: OidcSettings) {
  const key = keysOf(jwksUri);
  const options = { issuer, algorithms: ALGORITHMS, clockTolerance: CLOCK_LEEWAY_SECONDS, requiredClaims: ['exp'] };
  return async (token: string): Promise<string> => {
    const { payload, protectedHeader } = await jwtVerify(token, key, options);
    // RFC 7515, 4.1.11: a token with an extension that is not understood is invalid. None is supported.
    if ('crit' in protectedHeader) throw unauthorized('The token is not valid.');
    if (isIdToken(payload)) throw unauthorized('The token must be an access token, not an ID token.');
    if (!isMeantFor(audience, payload)) throw unauthorized('The token is for another audience than this service.');
    const { sub } = payload;
    if (typeof sub !== 'string' || sub === '') throw unauthorized('The token must have a subject (sub).');
    return deriveUserId(issuer, sub);
  };
}

/** Finds a token's key. Any failure other than a token that selects no single key is one of the key set. */
function keysOf(jwksUri: string): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(jwksUri), {
    timeoutDuration: JWKS_TIMEOUT_MS,
    cacheMaxAge: JWKS_MAX_AGE_MS,
    cooldownDuration: JWKS_COOLDOWN_MS,
  });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      throw new KeysUnreadableError('The keys of the token issuer can not be read.', { cause });
    }
  };
}

/** Not by `azp` or the header's `typ: JWT`, which access tokens of common issuers have too. */
const isIdToken = (claims: JWTPayload): boolean =>
  (claims.token_use ?? 'access') !== 'access' ||
  claims.typ === 'ID' ||
  ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name));

/** The audience is `aud`, or `client_id` if the issuer does not send that claim, as Cognito in access tokens. */
function isMeantFor(audience: string, { aud, client_id }: JWTPayload): boolean {
  const named: unknown = aud ?? client_id;
  return Array.isArray(named) ? named.includes(audience) : named === audience;
}

function toAuthenticationError(cause: unknown, log: Logger): HttpError {
  if (cause instanceof HttpError) return cause;
  if (cause instanceof KeysUnreadableError) {
    log.error('the keys of the token issuer can not be read', cause);
    return new HttpError(503, 'Tokens cannot be verified. Try again shortly.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  }
  if (cause instanceof errors.JWKSNoMatchingKey) log.warn('a token names a key that its issuer does not have');
  else if (!(cause instanceof errors.JOSEError)) log.error('a token could not be verified', cause);
  return unauthorized('The token is not valid or has expired.', cause);
}

const unauthorized = (message: string, cause?: unknown) =>
  new HttpError(401, message, { headers: { 'WWW-Authenticate': 'Bearer' }, cause });
