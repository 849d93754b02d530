import type { CustomDomain, DomainIds } from '../../../shared/domains/domain.ts';
import { PROVISIONING_HOLD_MS } from '../../../shared/domains/schedule.ts';
import type { Around } from '../training/lifecycle.ts';
import type { DomainWorld } from './domain-world.ts';

/**
 * What can happen to an effect: the process dies before or after it, it fails with or without taking effect, or the
 * SDK retries it because its first response was lost.
 */
export const FAULTS = ['dies before', 'dies after', 'is throttled', 'loses the answer', 'is repeated'] as const;
export type Fault = (typeof FAULTS)[number];

/** Counts the effects of all processes together; the faults occur at those that `faultAt` names. */
export function injector(world: DomainWorld, faultAt: (effect: number, name: string) => Fault | undefined) {
  const seen: string[] = [];
  /** @param lifeMs after which a process is ended, like a Lambda function at its timeout */
  const process = (lifeMs = PROVISIONING_HOLD_MS): Around => {
    const startedMs = world.clock.ms;
    let dead = false;
    return async (effect, work) => {
      dead ||= world.clock.ms - startedMs >= lifeMs;
      if (dead) throw new Error('killed');
      const fault = faultAt(seen.push(effect) - 1, effect);
      dead = fault === 'dies before' || fault === 'dies after';
      if (fault === 'dies before' || fault === 'is throttled') throw new Error(fault);
      if (fault === 'is repeated') await work();
      const done = await work();
      if (fault === 'dies after' || fault === 'loses the answer') throw new Error(fault);
      return done;
    };
  };
  return { seen, process };
}

/** Runs what is queued as Lambda does: at most three attempts. */
async function runQueue(world: DomainWorld, around: () => Around): Promise<void> {
  for (let ids = world.queue.shift(); ids !== undefined; ids = world.queue.shift()) {
    for (let attempt = 1; attempt <= 3; attempt++) {
      const removed = await world
        .processOf(around())
        .remove(ids)
        .catch(() => undefined);
      if (removed !== undefined) break;
    }
  }
}

const unchanged: Around = (_effect, work) => work();

/** Runs function and sweeper until the domain has no remaining work. @returns what is left of the domain */
export async function settle(
  world: DomainWorld,
  ids: DomainIds,
  around: () => Around = () => unchanged,
): Promise<CustomDomain | undefined> {
  for (let round = 0; round < 120; round++) {
    await runQueue(world, around);
    const domain = await world.domains.find(ids);
    if (domain === undefined || domain.dueAt === null) return domain;
    // Advances to when it is due, but at least by the minute of the schedule.
    world.clock.ms = Math.max(world.clock.ms + 60_000, Date.parse(domain.dueAt));
    await world
      .processOf(around())
      .sweep()
      .catch(() => undefined);
  }
  throw new Error(`It did not come to an end: ${JSON.stringify(await world.domains.find(ids))}`);
}

/** The remains of a removed domain. */
export async function leftOf(world: DomainWorld, { id, orgId, hostname }: CustomDomain): Promise<string[]> {
  const ids = { orgId, domainId: id };
  const left = [...world.faults];
  if ((await world.domains.find(ids)) !== undefined) left.push('its record');
  if ((await world.hostnames.findReservation(hostname))?.domainId === id) left.push('its hostname');
  if ((await world.pages.listPageIds(ids)).length > 0) left.push('a page that names it');
  if (world.atEdge.tenants.size > 0) left.push('a tenant');
  if (world.atEdge.certificates.size > 0) left.push('a certificate');
  return left;
}

/** A process that pauses directly before an effect, until it is resumed. */
export function blockAt(at: string) {
  const [released, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const around = async <T>(effect: string, work: () => Promise<T>): Promise<T> => {
    if (effect !== at) return work();
    reached.resolve();
    await released.promise;
    return work();
  };
  return { around, reached: reached.promise, release: released.resolve };
}
