import { FetchError, JwksValidationError, JwtBaseError, KidNotFoundInJwksError } from 'aws-jwt-verify/error';
import { SimpleJwksCache, SimplePenaltyBox } from 'aws-jwt-verify/jwk';
import { decomposeUnverifiedJwt } from 'aws-jwt-verify/jwt';
import { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
import type { Log } from '../platform/log.ts';
import { once } from '../platform/once.ts';
import { Problem } from './problem.ts';
import { userIdOf } from './user-id.ts';

export type TokenVerifier = {
  /** The user of an `Authorization: Bearer` header. Throws 401, or 503 when the issuer's keys can't be read. */
  userIdOf(authorization: string | undefined, log: Log): Promise<string>;
};

export type Issuer = { issuer: string; audience: string; jwksUri: string };

const ALGORITHMS: ReadonlySet<unknown> = new Set(['RS256', 'ES256']);
const JWKS_TIMEOUT_MS = 3_000;
/** How soon an unknown key id fetches the keys again: strangers can't flood the issuer, nor keep a new key out for long. */
const JWKS_WAIT_SECONDS = 2;
const TOKEN_CHARACTERS_MAX = 16_384;

/** Access tokens of one OIDC issuer. Its keys are fetched on first use and kept; an unknown key id fetches them anew. */
export function oidcTokens(issuer: () => Issuer): TokenVerifier {
  const verifier = once(() => verifierOf(issuer()));
  return {
    userIdOf: async (authorization, log) => {
      const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) throw unauthorized('The Authorization header must hold a Bearer token.');
      if (token.length > TOKEN_CHARACTERS_MAX) throw unauthorized('The token is not valid.');
      return verified(verifier(), token, log);
    },
  };
}

type Verifier = ReturnType<typeof verifierOf>;

function verifierOf({ issuer, audience, jwksUri }: Issuer) {
  const penaltyBox = new SimplePenaltyBox({ waitSeconds: JWKS_WAIT_SECONDS });
  const jwksCache = new SimpleJwksCache({ fetcher: { fetch: fetchJwks }, penaltyBox });
  const verifier = JwtVerifier.create({ issuer, audience: null, jwksUri }, { jwksCache });
  return { verify: (token: string) => verifier.verify(token), issuer, audience };
}

async function verified(verifier: Verifier, token: string, log: Log): Promise<string> {
  try {
    const { header } = decomposeUnverifiedJwt(token);
    // RFC 7515, 4.1.11: whoever does not understand what is critical must refuse.
    if (!ALGORITHMS.has(header.alg) || 'crit' in header) throw unauthorized('The token is not valid.');
    const claims = await verifier.verify(token);
    if (!meantForUs(claims, verifier.audience)) throw unauthorized('The token is not meant for this service.');
    if (claims.exp === undefined || !claims.sub) throw unauthorized('The token must name its subject and its expiry.');
    return userIdOf(verifier.issuer, claims.sub);
  } catch (cause) {
    throw asProblem(cause, log);
  }
}

/** The audience is `aud`, or `client_id` where the issuer sends none, as Cognito does in access tokens; an id token is none. */
function meantForUs(claims: Record<string, unknown>, audience: string): boolean {
  if (claims.token_use !== undefined && claims.token_use !== 'access') return false;
  const named = claims.aud ?? claims.client_id;
  return Array.isArray(named) ? named.includes(audience) : named === audience;
}

function asProblem(cause: unknown, log: Log): unknown {
  if (cause instanceof Problem) return cause;
  if (cause instanceof FetchError || cause instanceof JwksValidationError) {
    log.error('the keys of the token issuer can not be read', cause);
    return new Problem(503, 'Tokens can not be checked at the moment; try again soon.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  }
  if (cause instanceof KidNotFoundInJwksError) log.warn('a token names a key that its issuer does not have');
  if (cause instanceof JwtBaseError) return unauthorized('The token is not valid, or has expired.', cause);
  return cause;
}

const unauthorized = (message: string, cause?: unknown) =>
  new Problem(401, message, { headers: { 'WWW-Authenticate': 'Bearer' }, cause });

/** The library's own fetcher insists on https, which an embedded issuer does not have. */
async function fetchJwks(uri: string): Promise<ArrayBuffer> {
  try {
    const answer = await fetch(uri, { signal: AbortSignal.timeout(JWKS_TIMEOUT_MS), redirect: 'error' });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return await answer.arrayBuffer();
  } catch (cause) {
    throw new FetchError(uri, cause);
  }
}
