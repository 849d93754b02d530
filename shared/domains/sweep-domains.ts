import { sweepDue } from '../platform/sweep-due.ts';
import { type Domain, type DomainIds, idsOf } from './domain.ts';
import type { Domains } from './domains.ts';
import { newRemoval } from './removal-request.ts';
import { type RemovalPorts, type Removed, removeDomain } from './remove-domain.ts';
import { isoTime, PUT_OFF_MS, STEP_MS } from './schedule.ts';
import { type SetUp, setUpDomain } from './set-up-domain.ts';

export type SweepPorts = RemovalPorts & { domains: Domains };

/** What came of a domain that was due; `broken`: it could not be looked after, and is tried again. */
export type Swept = Removed | SetUp | 'broken';

/** What has been begun by then ends before the function's time is over. */
const RUN_MS_MAX = 40_000;
/** It is due again at another time, or gone. */
const ADVANCED: ReadonlySet<Swept> = new Set(['removed', 'active']);

/**
 * Carries on with what is due: removals whatever their step, set-ups of proven hostnames, and the end of claims that
 * nobody has proven in time. One that makes trouble holds up no other.
 *
 * @returns how often each thing happened; it ends when nothing more comes along or its time is over
 */
export const sweepDomains = (ports: SweepPorts): Promise<Map<Swept, number>> =>
  sweepDue(
    {
      due: (nowMs, most) => ports.domains.due(nowMs, most),
      one: (ids: DomainIds) => sweepOne(ports, ids),
      advances: (swept: Swept) => ADVANCED.has(swept),
      runMsMax: RUN_MS_MAX,
    },
    ports,
  );

async function sweepOne(ports: SweepPorts, ids: DomainIds): Promise<Swept> {
  const { domains, clock, log } = ports;
  try {
    const domain = await domains.find(ids);
    // An index shows for a moment what is no longer due.
    if (domain?.dueAt == null || Date.parse(domain.dueAt) > clock.now()) return 'overtaken';
    return await advance(ports, domain);
  } catch (cause) {
    log.error('a domain could not be swept', cause, ids);
    await domains
      .putOff(ids, clock.now() + PUT_OFF_MS)
      .catch((error: unknown) => log.error('a domain could not be put off', error, ids));
    return 'broken';
  }
}

async function advance(ports: SweepPorts, domain: Domain): Promise<Swept> {
  if (domain.status === 'verified') return setUpDomain(ports, domain);
  if (domain.status === 'removing') return removeDomain(ports, idsOf(domain));
  if (domain.status === 'pending') return end(ports, domain);
  throw new Error('A domain that is active has nothing left to do, and is due.');
}

/** Nobody has proven it in time: what it holds is given back as by a removal. */
async function end(ports: SweepPorts, domain: Domain): Promise<Swept> {
  const nowMs = ports.clock.now();
  const removal = newRemoval(nowMs);
  const dueAt = isoTime(nowMs + STEP_MS);
  const marked = await ports.domains.change(domain, { status: 'removing', removal, dueAt });
  return marked === undefined ? 'overtaken' : removeDomain(ports, idsOf(domain));
}
