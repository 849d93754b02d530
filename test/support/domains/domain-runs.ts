import type { CustomDomain, DomainIds } from '../../../shared/domains/domain.ts';
import { PROVISIONING_HOLD_MS } from '../../../shared/domains/schedule.ts';
import type { Around } from '../training/lifecycle.ts';
import type { DomainWorld } from './domain-world.ts';

/**
 * Faults of an effect (one call of a port). `crash`: the process dies before or after the effect. `throttled`: the
 * effect is not executed and throws. `response lost`: the effect is executed and throws. `repeated`: the SDK executes
 * the effect twice, because the first response was lost.
 */
export const FAULTS = ['crash before', 'crash after', 'throttled', 'response lost', 'repeated'] as const;
export type Fault = (typeof FAULTS)[number];

/** Counts the effects of all processes together, and injects the faults that `faultAt` returns. */
export function injector(world: DomainWorld, faultAt: (effect: number, name: string) => Fault | undefined) {
  const seen: string[] = [];
  /** @param lifeMs time after which the process is killed, like a Lambda function at its timeout */
  const process = (lifeMs = PROVISIONING_HOLD_MS): Around => {
    const startedMs = world.clock.ms;
    let dead = false;
    return async (effect, work) => {
      dead ||= world.clock.ms - startedMs >= lifeMs;
      if (dead) throw new Error('killed');
      const fault = faultAt(seen.push(effect) - 1, effect);
      dead = fault === 'crash before' || fault === 'crash after';
      if (fault === 'crash before' || fault === 'throttled') throw new Error(fault);
      if (fault === 'repeated') await work();
      const done = await work();
      if (fault === 'crash after' || fault === 'response lost') throw new Error(fault);
      return done;
    };
  };
  return { seen, process };
}

/** Runs the queued invocations with at most three attempts each, like Lambda. */
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

/**
 * Runs the removal function and the sweeper until the domain has no unfinished work.
 *
 * @returns the domain, if it still exists
 */
export async function settle(
  world: DomainWorld,
  ids: DomainIds,
  around: () => Around = () => unchanged,
): Promise<CustomDomain | undefined> {
  for (let round = 0; round < 120; round++) {
    await runQueue(world, around);
    const domain = await world.domains.find(ids);
    if (domain === undefined || domain.dueAt === null) return domain;
    // Advances the clock until the domain is due, but at least by a minute, because a sweep runs each minute.
    world.clock.ms = Math.max(world.clock.ms + 60_000, Date.parse(domain.dueAt));
    await world
      .processOf(around())
      .sweep()
      .catch(() => undefined);
  }
  throw new Error(`After 120 rounds, the domain still has work: ${JSON.stringify(await world.domains.find(ids))}`);
}

/** Returns what is left of a removed domain, and the faults that were recorded during its removal. */
export async function leftOf(world: DomainWorld, { id, orgId, hostname }: CustomDomain): Promise<string[]> {
  const ids = { orgId, domainId: id };
  const left = [...world.faults];
  if ((await world.domains.find(ids)) !== undefined) left.push('its record');
  if ((await world.hostnames.findReservation(hostname))?.domainId === id) left.push('its hostname');
  if ((await world.pages.listPageIds(ids)).length > 0) left.push('a page that names it');
  if (!world.erasedMessages.has(id)) left.push('its webhook messages');
  if (world.atEdge.tenants.size > 0) left.push('a tenant');
  if (world.atEdge.certificates.size > 0) left.push('a certificate');
  return left;
}

/** A process that pauses directly before the effect `at`, until `release` is called. */
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
