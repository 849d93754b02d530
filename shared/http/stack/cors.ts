import type { Operation } from '../operation.ts';

/** What a page's script may read of an answer. */
export const EXPOSED_HEADERS = 'x-request-id,Retry-After,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset';

/**
 * CORS headers of an answer. Public routes are open to every origin; a beacon's POST carries credentials mode, so its
 * origin is echoed (no cookie exists); organization routes know only the configured origins.
 */
export function corsHeaders(
  declared: Operation,
  origin: string | undefined,
  configuredOrigins: readonly string[],
): Record<string, string> {
  const exposed = { 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  const echo = (from: string) => ({ 'Access-Control-Allow-Origin': from, Vary: 'Origin', ...exposed });
  if (declared.auth !== 'public') {
    return origin !== undefined && configuredOrigins.includes(origin) ? echo(origin) : { Vary: 'Origin' };
  }
  if (declared.credentialedCors && origin !== undefined) {
    return { ...echo(origin), 'Access-Control-Allow-Credentials': 'true' };
  }
  return { 'Access-Control-Allow-Origin': '*', ...exposed };
}
