import type { Clock } from '../platform/clock.ts';
import type { CustomDomain, DomainIds } from './domain.ts';
import type { DomainRepository } from './ports.ts';
import { toIsoString } from './schedule.ts';

/**
 * Returns a removal hold for new work that takes at most `ms`. A removal waits until the returned time. Concurrent
 * holds have different values, so that `releaseRemovalHold` never releases the hold of other work.
 */
export function nextRemovalHold({ removalHoldUntil }: CustomDomain, nowMs: number, ms: number): string {
  const othersMs = removalHoldUntil === null ? 0 : Date.parse(removalHoldUntil) + 1;
  return toIsoString(Math.max(nowMs + ms, othersMs));
}

/**
 * Releases the hold of finished work, so that a removal does not wait until the hold expires. Has no effect if a later
 * hold exists or the domain changes concurrently.
 *
 * @returns the domain as it was before the release; undefined if the domain does not exist any more
 */
export async function releaseRemovalHold(
  { domains, clock }: { domains: Pick<DomainRepository, 'find' | 'update'>; clock: Clock },
  ids: DomainIds,
  work: { removalHoldUntil: string | null; before: string | null },
): Promise<CustomDomain | undefined> {
  const domain = await domains.find(ids);
  if (domain === undefined || domain.removalHoldUntil !== work.removalHoldUntil) return domain;
  const removalDue = domain.status === 'removing' && { dueAt: toIsoString(clock.now()) };
  await domains.update(domain, { removalHoldUntil: work.before, ...removalDue });
  return domain;
}
