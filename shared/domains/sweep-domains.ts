import { type Domain, type DomainIds, idsOf } from './domain.ts';
import type { Domains } from './domains.ts';
import { newRemoval } from './removal-request.ts';
import { type RemovalPorts, type Removed, removeDomain } from './remove-domain.ts';
import { isoTime, PUT_OFF_MS, STEP_MS } from './schedule.ts';
import { type SetUp, setUpDomain } from './set-up-domain.ts';

export type SweepPorts = RemovalPorts & { domains: Domains };

/** What came of a domain that was due; `broken`: it could not be looked after, and is tried again. */
export type Swept = Removed | SetUp | 'broken';

const PER_ROUND = 160;
const AT_ONCE = 4;
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
export async function sweepDomains(ports: SweepPorts): Promise<Map<Swept, number>> {
  const counts = new Map<Swept, number>();
  const endMs = ports.clock.now() + RUN_MS_MAX;
  let advanced: boolean;
  do {
    const due = await ports.domains.due(ports.clock.now(), PER_ROUND);
    advanced = false;
    const work = async () => {
      for (let ids = due.shift(); ids !== undefined && ports.clock.now() < endMs; ids = due.shift()) {
        const swept = await sweepOne(ports, ids);
        counts.set(swept, (counts.get(swept) ?? 0) + 1);
        advanced ||= ADVANCED.has(swept);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } while (advanced && ports.clock.now() < endMs);
  return counts;
}

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
