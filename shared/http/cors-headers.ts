import type { Operation } from './operation.ts';

/** What a page's script may read of an answer. */
export const EXPOSED_HEADERS =
  'x-request-id,x-warning,Retry-After,RateLimit,RateLimit-Policy,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset';

/**
 * CORS headers of an answer. Public routes are open to every origin; a beacon's POST carries credentials mode, so its
 * origin is echoed (no cookie exists); organization routes name the caller's origin if it is a configured one, else
 * the first of them, which lets no other page read the answer.
 */
export function corsHeaders(
  declared: Operation,
  origin: string | undefined,
  configuredOrigins: readonly string[],
): Record<string, string> {
  const exposed = { 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  const echo = (from: string) => ({ 'Access-Control-Allow-Origin': from, Vary: 'Origin', ...exposed });
  if (declared.auth !== 'public') {
    const allowed = configuredOrigins.find((configured) => configured === origin) ?? configuredOrigins[0];
    return allowed === undefined ? { Vary: 'Origin' } : echo(allowed);
  }
  if (declared.credentialedCors && origin !== undefined) {
    return { ...echo(origin), 'Access-Control-Allow-Credentials': 'true' };
  }
  return { 'Access-Control-Allow-Origin': '*', ...exposed };
}
