import type { Clock } from '../platform/clock.ts';
import type { Domain, DomainIds } from './domain.ts';
import type { Domains } from './domains.ts';
import { isoTime } from './schedule.ts';

/** Until when a domain is busy with one more work of so long; a value that no other work has. */
export function busyFor({ busyUntil }: Domain, nowMs: number, ms: number): string {
  const othersMs = busyUntil === null ? 0 : Date.parse(busyUntil) + 1;
  return isoTime(Math.max(nowMs + ms, othersMs));
}

/**
 * Ends a work, so that a removal need not wait for the rest of its time.
 *
 * @returns the domain as it is then; undefined when it is gone
 */
export async function endBusy(
  { domains, clock }: { domains: Pick<Domains, 'find' | 'change'>; clock: Clock },
  ids: DomainIds,
  work: { busyUntil: string | null; before: string | null },
): Promise<Domain | undefined> {
  const domain = await domains.find(ids);
  if (domain === undefined || domain.busyUntil !== work.busyUntil) return domain;
  const goesOn = domain.status === 'removing' && { dueAt: isoTime(clock.now()) };
  await domains.change(domain, { busyUntil: work.before, ...goesOn });
  return domain;
}
