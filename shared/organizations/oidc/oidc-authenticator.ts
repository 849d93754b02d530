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
/** Minimum time between two fetches for unknown key ids: limits the requests that invalid tokens can cause. */
const JWKS_COOLDOWN_MS = 2_000;
const TOKEN_CHARACTERS_MAX = 16_384;

/** Claims that only ID tokens contain (OpenID Connect Core 1.0, sections 2 and 3.3.2.11). */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash', 'nonce'];

/** Verifies access tokens of one OIDC issuer. Fetches its keys on first use, for an unknown key id, and every 10 minutes. */
export function createOidcAuthenticator(settings: () => OidcSettings): Authenticator {
  const verifier = once(() => createVerifier(settings()));
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

/** The issuer's key set cannot be fetched or is invalid. */
class KeysUnreadableError extends Error {}

function createVerifier({ issuer, audience, jwksUri }: OidcSettings) {
  const getKey = createKeyLookup(jwksUri);
  const options = { issuer, algorithms: ALGORITHMS, clockTolerance: CLOCK_LEEWAY_SECONDS, requiredClaims: ['exp'] };
  return async (token: string): Promise<string> => {
    const { payload, protectedHeader } = await jwtVerify(token, getKey, options);
    // RFC 7515, 4.1.11: a token with an unsupported critical extension is invalid. None is supported.
    if ('crit' in protectedHeader) throw unauthorized('The token is not valid.');
    if (isIdToken(payload)) throw unauthorized('The token must be an access token, not an ID token.');
    if (!isForAudience(audience, payload)) throw unauthorized('The token is for another audience than this service.');
    const { sub } = payload;
    if (typeof sub !== 'string' || sub === '') throw unauthorized('The token must have a subject (sub).');
    return deriveUserId(issuer, sub);
  };
}

/** Finds a token's key. Throws `KeysUnreadableError` for all errors except tokens that select no or several keys. */
function createKeyLookup(jwksUri: string): JWTVerifyGetKey {
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
      throw new KeysUnreadableError('The keys of the token issuer cannot be read.', { cause });
    }
  };
}

/** Ignores `azp` and the header `typ: JWT`, which access tokens of common issuers also contain. */
const isIdToken = (claims: JWTPayload): boolean =>
  (claims.token_use ?? 'access') !== 'access' ||
  claims.typ === 'ID' ||
  ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name));

/** The audience is `aud`, or `client_id` if the issuer sends no `aud`, like Cognito in access tokens. */
function isForAudience(audience: string, { aud, client_id }: JWTPayload): boolean {
  const named: unknown = aud ?? client_id;
  return Array.isArray(named) ? named.includes(audience) : named === audience;
}

function toAuthenticationError(cause: unknown, log: Logger): HttpError {
  if (cause instanceof HttpError) return cause;
  if (cause instanceof KeysUnreadableError) {
    log.error('the keys of the token issuer cannot be read', cause);
    return new HttpError(503, 'Tokens cannot be verified. Try again shortly.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  }
  if (cause instanceof errors.JWKSNoMatchingKey) log.warn('unknown key id in a token');
  else if (!(cause instanceof errors.JOSEError)) log.error('unexpected error during token verification', cause);
  return unauthorized('The token is not valid or has expired.', cause);
}

const unauthorized = (message: string, cause?: unknown) =>
  new HttpError(401, message, { headers: { 'WWW-Authenticate': 'Bearer' }, cause });
