import type { Clock } from '../platform/clock.ts';
import type { CustomDomain, DomainIds } from './domain.ts';
import type { DomainRepository } from './ports.ts';
import { toIsoString } from './schedule.ts';

/** Until when a domain is busy with one more work of so long; a value that no other work has. */
export function nextRemovalHold({ busyUntil }: CustomDomain, nowMs: number, ms: number): string {
  const othersMs = busyUntil === null ? 0 : Date.parse(busyUntil) + 1;
  return toIsoString(Math.max(nowMs + ms, othersMs));
}

/**
 * Ends a work, so that a removal need not wait for the rest of its time.
 *
 * @returns the domain as it is then; undefined when it is gone
 */
export async function releaseRemovalHold(
  { domains, clock }: { domains: Pick<DomainRepository, 'find' | 'update'>; clock: Clock },
  ids: DomainIds,
  work: { busyUntil: string | null; before: string | null },
): Promise<CustomDomain | undefined> {
  const domain = await domains.find(ids);
  if (domain === undefined || domain.busyUntil !== work.busyUntil) return domain;
  const goesOn = domain.status === 'removing' && { dueAt: toIsoString(clock.now()) };
  await domains.update(domain, { busyUntil: work.before, ...goesOn });
  return domain;
}
