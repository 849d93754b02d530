import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Authenticator, Principal } from '../../http/authorizer.ts';
import { HttpError } from '../../http/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { once } from '../../platform/once.ts';
import { UnavailableError } from '../../platform/unavailable.ts';
import { deriveUserId } from '../user-id.ts';

export type OidcSettings = { issuer: string; audience: string; jwksUri: string };

const ALGORITHMS = ['RS256', 'ES256'];
const CLOCK_LEEWAY_SECONDS = 5;
const JWKS_TIMEOUT_MS = 3_000;
const JWKS_MAX_AGE_MS = 10 * 60_000;
/**
 * A token with an unknown key id causes a fetch of the issuer's keys. For this time after a fetch, such tokens cause no
 * other fetch, so that forged tokens cannot flood the issuer with requests.
 */
const JWKS_COOLDOWN_MS = 2_000;
const TOKEN_CHARACTERS_MAX = 16_384;

/** Claims that only ID tokens have (OpenID Connect Core 1.0, sections 2 and 3.3.2.11). */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash', 'nonce'];

/**
 * Verifies access tokens of one OIDC issuer. Fetches the issuer's keys on first use, when a token has an unknown key
 * id, and when the cached keys are 10 minutes old.
 */
export function createOidcAuthenticator(settings: () => OidcSettings): Authenticator {
  const verifier = once(() => createVerifier(settings()));
  return {
    authenticate: async (authorizationHeader, log) => {
      const token = /^Bearer +(\S+) *$/i.exec(authorizationHeader ?? '')?.[1];
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
class KeySetError extends Error {}

function createVerifier({ issuer, audience, jwksUri }: OidcSettings) {
  const key = createKeySet(jwksUri);
  const options = { issuer, algorithms: ALGORITHMS, clockTolerance: CLOCK_LEEWAY_SECONDS, requiredClaims: ['exp'] };
  return async (token: string): Promise<Principal> => {
    const { payload, protectedHeader } = await jwtVerify(token, key, options);
    // RFC 7515, 4.1.11: a token with an unsupported critical extension is invalid. This service supports no extension,
    // so every token with `crit` is invalid.
    if ('crit' in protectedHeader) throw unauthorized('The token is not valid.');
    if (isIdToken(payload)) throw unauthorized('The token must be an access token, not an ID token.');
    if (!hasAudience(audience, payload))
      throw unauthorized('The audience of the token (aud or client_id) is not this service.');
    const { sub } = payload;
    if (typeof sub !== 'string' || sub === '') throw unauthorized('The token must have a subject (sub).');
    return { userId: deriveUserId(issuer, sub) };
  };
}

/**
 * Returns a function that finds the key of a token. The function throws the library's error if no key or several keys
 * match the token, and KeySetError for every other failure.
 */
function createKeySet(jwksUri: string): JWTVerifyGetKey {
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
      throw new KeySetError(`The keys of the token issuer cannot be read from ${jwksUri}.`, { cause });
    }
  };
}

/** Ignores the claim `azp` and the header `typ: JWT`, because common issuers put them into access tokens, too. */
const isIdToken = (claims: JWTPayload): boolean =>
  (claims.token_use ?? 'access') !== 'access' ||
  claims.typ === 'ID' ||
  ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name));

/** The audience is `aud`. Some issuers, such as Cognito, send `client_id` instead of `aud` in access tokens. */
function hasAudience(audience: string, { aud, client_id }: JWTPayload): boolean {
  const given: unknown = aud ?? client_id;
  return Array.isArray(given) ? given.includes(audience) : given === audience;
}

function toAuthenticationError(cause: unknown, log: Logger): HttpError | UnavailableError {
  if (cause instanceof HttpError) return cause;
  if (cause instanceof KeySetError) {
    log.error('The keys of the token issuer cannot be read.', cause);
    return new UnavailableError('Tokens cannot be verified. Try again shortly.', {
      retryAfterSeconds: 5,
      cause,
    });
  }
  if (cause instanceof errors.JWKSNoMatchingKey)
    log.warn('A token was rejected, because it matches no key of the token issuer.');
  else if (!(cause instanceof errors.JOSEError)) log.error('A token could not be verified.', cause);
  return unauthorized('The token is not valid or has expired.', cause);
}

const unauthorized = (message: string, cause?: unknown) =>
  new HttpError(401, message, { headers: { 'WWW-Authenticate': 'Bearer' }, cause });
