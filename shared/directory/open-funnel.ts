import { Problem } from '../http/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { Funnel, Funnels } from './funnel.ts';

/** How long pages that are still open may post after a funnel is taken off the net. */
const GRACE_MS = 86_400_000;

/**
 * The funnel that a public route may use.
 *
 * @throws Problem 404 when it is unknown, archived, never published or unpublished for more than a day; 403 for an
 *   origin that it does not list
 */
export async function openFunnel(
  funnels: Funnels,
  clock: Clock,
  funnelId: string,
  origin: string | undefined,
): Promise<Funnel> {
  const funnel = await funnels.find(funnelId);
  if (funnel === undefined || !isOpen(funnel, clock.now())) throw new Problem(404, 'path.id: there is no such funnel.');
  if (origin !== undefined && funnel.allowedOrigins.length > 0 && !funnel.allowedOrigins.includes(origin)) {
    throw new Problem(403, 'This funnel does not take requests from this origin.');
  }
  return funnel;
}

function isOpen({ publishedVersionId, archivedAt, unpublishedAt }: Funnel, nowMs: number): boolean {
  if (publishedVersionId === null || archivedAt !== null) return false;
  return unpublishedAt === null || nowMs - Date.parse(unpublishedAt) < GRACE_MS;
}
