import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Funnel, FunnelRepository } from './funnel.ts';

/** How long pages that are still open may post after a funnel is taken off the net. */
export const UNPUBLISH_GRACE_MS = 86_400_000;

/**
 * The funnel that a public route may use: found and open (see `requireOpen`).
 */
export async function getActiveFunnel(
  funnels: FunnelRepository,
  clock: Clock,
  funnelId: string,
  origin: string | undefined,
): Promise<Funnel> {
  return requireActiveFunnel(await funnels.find(funnelId), clock, origin);
}

/**
 * @throws Problem 404 when the funnel is unknown, archived, never published or unpublished for more than a day; 403 for
 *   an origin that it does not list
 */
export function requireActiveFunnel(funnel: Funnel | undefined, clock: Clock, origin: string | undefined): Funnel {
  if (funnel === undefined || !isActive(funnel, clock.now()))
    throw new HttpError(404, 'There is no published funnel with this id (path.id).');
  if (origin !== undefined && !isAllowedOrigin(funnel, origin)) {
    throw new HttpError(403, 'This funnel does not accept requests from this origin.');
  }
  return funnel;
}

/** Origins are compared as URLs, which know about case, default ports and IDNs; `null`, a sandbox's, is never a listed one. */
function isAllowedOrigin({ allowedOrigins }: Funnel, origin: string): boolean {
  if (allowedOrigins.length === 0) return true;
  const asked = normalized(origin);
  return asked !== undefined && allowedOrigins.some((allowed) => normalized(allowed) === asked);
}

function normalized(origin: string): string | undefined {
  const parsed = URL.parse(origin);
  return parsed === null || parsed.origin === 'null' ? undefined : parsed.origin;
}

function isActive({ publishedVersionId, archivedAt, unpublishedAt }: Funnel, nowMs: number): boolean {
  if (publishedVersionId === null || archivedAt !== null) return false;
  return unpublishedAt === null || nowMs - Date.parse(unpublishedAt) < UNPUBLISH_GRACE_MS;
}
