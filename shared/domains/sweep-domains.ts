import { sweep } from '../platform/sweeper.ts';
import { type CustomDomain, type DomainIds, toDomainIds } from './domain.ts';
import type { DomainRepository } from './ports.ts';
import { type ProvisioningOutcome, provisionDomain } from './provision-domain.ts';
import { createRemoval } from './request-removal.ts';
import { type RemovalOutcome, type RunRemovalPorts, runRemoval } from './run-removal.ts';
import { STEP_HOLD_MS, SWEEP_RETRY_MS, toIsoString } from './schedule.ts';

export type DomainSweepPorts = RunRemovalPorts & { domains: DomainRepository };

export type DomainSweepOutcome = RemovalOutcome | ProvisioningOutcome;

/** No work starts after this time, so that running work ends before the timeout of the function (120 s). */
const RUN_MS_MAX = 40_000;
/** Outcomes after which the domain has no unfinished work. */
const ADVANCED: ReadonlySet<DomainSweepOutcome> = new Set(['removed', 'active']);

/**
 * Continues due removals and provisioning, and removes domains that were not verified in time. A domain that fails does
 * not delay the others.
 *
 * @returns the number of domains by outcome
 */
export const sweepDomains = (ports: DomainSweepPorts): Promise<Map<DomainSweepOutcome, number>> =>
  sweep(
    {
      findDue: (nowMs, most) => ports.domains.listDue(nowMs, most),
      processItem: (ids: DomainIds) => sweepOne(ports, ids),
      isProgress: (swept: DomainSweepOutcome) => ADVANCED.has(swept),
      timeLimitMs: RUN_MS_MAX,
    },
    ports,
  );

async function sweepOne(ports: DomainSweepPorts, ids: DomainIds): Promise<DomainSweepOutcome> {
  const { domains, clock, log } = ports;
  try {
    const domain = await domains.find(ids);
    // The index is eventually consistent, so the domain may not be due any more.
    if (domain?.dueAt == null || Date.parse(domain.dueAt) > clock.now()) return 'conflict';
    return await advance(ports, domain);
  } catch (cause) {
    log.error('A due domain could not be processed. The sweeper retries it.', cause, ids);
    await domains
      .postpone(ids, clock.now() + SWEEP_RETRY_MS)
      .catch((error: unknown) =>
        log.error(
          'The next attempt for a domain could not be postponed. The next run processes the domain again.',
          error,
          ids,
        ),
      );
    return 'failed';
  }
}

async function advance(ports: DomainSweepPorts, domain: CustomDomain): Promise<DomainSweepOutcome> {
  if (domain.status === 'verified') return provisionDomain(ports, domain);
  if (domain.status === 'removing') return runRemoval(ports, toDomainIds(domain));
  if (domain.status === 'pending') return expire(ports, domain);
  throw new Error(
    `The item of domain ${domain.id} in the directory table is inconsistent: its status is active, but dueShard and ` +
      'dueAt list it as unfinished. Remove both attributes from the item.',
  );
}

/** Removes a domain that was not verified in time. */
async function expire(ports: DomainSweepPorts, domain: CustomDomain): Promise<DomainSweepOutcome> {
  const nowMs = ports.clock.now();
  const removal = createRemoval(nowMs);
  const dueAt = toIsoString(nowMs + STEP_HOLD_MS);
  const marked = await ports.domains.update(domain, { status: 'removing', removal, dueAt });
  return marked === undefined ? 'conflict' : runRemoval(ports, toDomainIds(domain));
}
