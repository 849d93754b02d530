import type { Operation } from './operation.ts';

/** Response headers that scripts of other origins may read. */
export const EXPOSED_HEADERS =
  'x-request-id,x-warning,Retry-After,RateLimit,RateLimit-Policy,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset';

/**
 * Returns the CORS headers of a response. Public routes allow every origin. The response to a beacon repeats the origin
 * of the request: browsers send beacons in credentials mode and then do not accept `*`. Organization routes allow the
 * configured origins. For any other origin, the headers contain the first configured origin, so that the browser blocks
 * the response. If no origin is configured, the headers allow no origin.
 */
export function corsHeaders(
  operation: Operation,
  origin: string | undefined,
  configuredOrigins: readonly string[],
): Record<string, string> {
  const exposed = { 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  const allow = (allowed: string) => ({ 'Access-Control-Allow-Origin': allowed, Vary: 'Origin', ...exposed });
  if (operation.auth !== 'public') {
    const allowed = configuredOrigins.find((configured) => configured === origin) ?? configuredOrigins[0];
    return allowed === undefined ? { Vary: 'Origin' } : allow(allowed);
  }
  if (operation.credentialedCors && origin !== undefined) {
    return { ...allow(origin), 'Access-Control-Allow-Credentials': 'true' };
  }
  return { 'Access-Control-Allow-Origin': '*', ...exposed };
}
