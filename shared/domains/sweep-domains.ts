import { sweep } from '../platform/sweeper.ts';
import { type CustomDomain, type DomainIds, toDomainIds } from './domain.ts';
import type { DomainRepository } from './ports.ts';
import { type ProvisioningOutcome, provisionDomain } from './provision-domain.ts';
import { createRemoval } from './request-removal.ts';
import { type RemovalOutcome, type RunRemovalPorts, runRemoval } from './run-removal.ts';
import { STEP_HOLD_MS, SWEEP_RETRY_MS, toIsoString } from './schedule.ts';

export type DomainSweepPorts = RunRemovalPorts & { domains: DomainRepository };

/** What came of a domain that was due; `broken`: it could not be looked after, and is tried again. */
export type DomainSweepOutcome = RemovalOutcome | ProvisioningOutcome | 'broken';

/** What has been begun by then ends before the function's time is over. */
const RUN_MS_MAX = 40_000;
/** It is due again at another time, or gone. */
const ADVANCED: ReadonlySet<DomainSweepOutcome> = new Set(['removed', 'active']);

/**
 * Carries on with what is due: removals whatever their step, set-ups of proven hostnames, and the end of claims that
 * nobody has proven in time. One that makes trouble holds up no other.
 *
 * @returns how often each thing happened; it ends when nothing more comes along or its time is over
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
    // An index shows for a moment what is no longer due.
    if (domain?.dueAt == null || Date.parse(domain.dueAt) > clock.now()) return 'overtaken';
    return await advance(ports, domain);
  } catch (cause) {
    log.error('a domain could not be swept', cause, ids);
    await domains
      .postpone(ids, clock.now() + SWEEP_RETRY_MS)
      .catch((error: unknown) => log.error('a domain could not be put off', error, ids));
    return 'broken';
  }
}

async function advance(ports: DomainSweepPorts, domain: CustomDomain): Promise<DomainSweepOutcome> {
  if (domain.status === 'verified') return provisionDomain(ports, domain);
  if (domain.status === 'removing') return runRemoval(ports, toDomainIds(domain));
  if (domain.status === 'pending') return end(ports, domain);
  throw new Error('A domain that is active has nothing left to do, and is due.');
}

/** Nobody has proven it in time: what it holds is given back as by a removal. */
async function end(ports: DomainSweepPorts, domain: CustomDomain): Promise<DomainSweepOutcome> {
  const nowMs = ports.clock.now();
  const removal = createRemoval(nowMs);
  const dueAt = toIsoString(nowMs + STEP_HOLD_MS);
  const marked = await ports.domains.update(domain, { status: 'removing', removal, dueAt });
  return marked === undefined ? 'overtaken' : runRemoval(ports, toDomainIds(domain));
}
