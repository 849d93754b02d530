import { HttpError } from '../http/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Funnel } from './funnel.ts';
import type { FunnelRepository } from './ports.ts';

/**
 * Public routes accept requests for this time after a funnel was unpublished, because visitors may have the funnel
 * open.
 */
export const UNPUBLISH_GRACE_MS = 86_400_000;

/** Finds a funnel and checks that public routes may use it. @throws HttpError see `requireActiveFunnel` */
export async function getActiveFunnel(
  funnels: FunnelRepository,
  clock: Clock,
  funnelId: string,
  origin: string | undefined,
): Promise<Funnel> {
  return requireActiveFunnel(await funnels.find(funnelId), clock, origin);
}

/**
 * Returns the funnel if public routes may use it.
 *
 * @throws HttpError 404 if the funnel does not exist, is archived, was never published, or was unpublished at least a
 *   day ago; 403 if the funnel does not allow the origin
 */
export function requireActiveFunnel(funnel: Funnel | undefined, clock: Clock, origin: string | undefined): Funnel {
  if (funnel === undefined || !isActive(funnel, clock.now())) {
    throw new HttpError(404, 'There is no published funnel with this id (path.id).');
  }
  if (origin !== undefined && !isAllowedOrigin(funnel, origin)) {
    throw new HttpError(
      403,
      'The funnel does not accept requests from this origin (header.origin). Add the origin to its allowed origins.',
    );
  }
  return funnel;
}

/**
 * If `allowedOrigins` is empty, all origins are allowed. Compares parsed origins, so that differences in case, default
 * port and spelling of an IDN do not matter. The origin `null` of a sandboxed page never equals an allowed origin.
 */
function isAllowedOrigin({ allowedOrigins }: Funnel, origin: string): boolean {
  if (allowedOrigins.length === 0) return true;
  const normalized = normalizeOrigin(origin);
  return normalized !== undefined && allowedOrigins.some((allowed) => normalizeOrigin(allowed) === normalized);
}

function normalizeOrigin(origin: string): string | undefined {
  const parsed = URL.parse(origin);
  return parsed === null || parsed.origin === 'null' ? undefined : parsed.origin;
}

function isActive({ publishedVersionId, archivedAt, unpublishedAt }: Funnel, nowMs: number): boolean {
  if (publishedVersionId === null || archivedAt !== null) return false;
  return unpublishedAt === null || nowMs - Date.parse(unpublishedAt) < UNPUBLISH_GRACE_MS;
}
