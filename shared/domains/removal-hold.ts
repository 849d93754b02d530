import type { Clock } from '../platform/clock.ts';
import type { CustomDomain, DomainIds } from './domain.ts';
import type { DomainRepository } from './ports.ts';
import { toIsoString } from './schedule.ts';

/** The time until which a removal waits for new work that lasts `ms`. Each concurrent hold on a domain
 * gets a different value. */
export function nextRemovalHold({ removalHoldUntil }: CustomDomain, nowMs: number, ms: number): string {
  const othersMs = removalHoldUntil === null ? 0 : Date.parse(removalHoldUntil) + 1;
  return toIsoString(Math.max(nowMs + ms, othersMs));
}

/**
 * Ends the hold of finished work, so that a removal need not wait for the rest of its time.
 *
 * @returns the domain as it was read; undefined when it does not exist any more
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
