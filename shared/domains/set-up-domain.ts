import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { busyFor, endBusy } from './busy.ts';
import { type Domain, idsOf, type Progress } from './domain.ts';
import type { DomainChanges, Domains, EdgeOf } from './domains.ts';
import type { EdgeTenant } from './edge.ts';
import { problemSentence } from './problem-sentence.ts';
import { ASKING_MS, isoTime, retryMs, STEP_MS, waitMs } from './schedule.ts';

export type SetUpPorts = {
  domains: Pick<Domains, 'find' | 'change'>;
  edge: EdgeOf;
  clock: Clock;
  log: Log;
};

/** What came of it: the domain is served, something takes its time, or failed and is tried again, or it has changed. */
export type SetUp = 'active' | 'setting_up' | 'failed' | 'overtaken';

const NOT_SERVED =
  'The edge does not serve it yet: its certificate needs the CNAME record, and takes some time from then on.';

/**
 * Takes a domain whose hostname is proven one step further: it gets a tenant at the edge, and is active when that is
 * served. Where a stage has no edge it is active at once, without a tenant.
 */
export async function setUpDomain(ports: SetUpPorts, domain: Domain): Promise<SetUp> {
  const { domains, clock, log } = ports;
  const progress = domain.setUp ?? { since: isoTime(clock.now()), attempts: 0, problem: null };
  let current = domain;
  try {
    const edge = ports.edge();
    if (edge === undefined) return changed(await domains.change(domain, ACTIVE), 'active');
    const claimed = await domains.change(domain, { ...claim(domain, clock.now()), setUp: progress });
    if (claimed === undefined) return 'overtaken';
    current = claimed;
    const { isServed, ...tenant } = await edge.create({ domainId: domain.id, hostname: domain.hostname });
    const next = isServed ? ACTIVE : patience(progress, clock.now());
    // The claim has ended: a removal need not wait for it.
    const done = { ...next, ...namesOf(tenant, domain), busyUntil: domain.busyUntil };
    const kept = await domains.change(current, done);
    if (kept === undefined)
      await endBusy(ports, idsOf(domain), { busyUntil: current.busyUntil, before: domain.busyUntil });
    return changed(kept, isServed ? 'active' : 'setting_up');
  } catch (cause) {
    log.error('a domain could not be set up at the edge', cause, idsOf(domain));
    log.count('DomainSetUpsFailed');
    return failed(ports, current, progress, cause);
  }
}

const changed = (answer: Domain | undefined, to: SetUp): SetUp => (answer === undefined ? 'overtaken' : to);

/** A removal that begins from here on waits for the tenant that is being asked for, and finds it. */
const claim = (domain: Domain, nowMs: number): DomainChanges => ({
  busyUntil: busyFor(domain, nowMs, ASKING_MS),
  dueAt: isoTime(nowMs + STEP_MS),
});

/** A certificate that was known once is not forgotten: it must go with the domain. */
const namesOf = (
  { tenantId, target, certificateArn }: Omit<EdgeTenant, 'isServed'>,
  domain: Domain,
): DomainChanges => ({
  ...{ tenantId, target },
  certificateArn: certificateArn ?? domain.certificateArn,
});

const patience = (progress: Progress, nowMs: number): DomainChanges => ({
  dueAt: isoTime(nowMs + waitMs(progress.since, nowMs)),
  setUp: { ...progress, attempts: 0, problem: NOT_SERVED },
});

const ACTIVE = { status: 'active', setUp: null, dueAt: null } as const satisfies DomainChanges;

/** What was claimed stays: nobody knows whether the edge did what it was asked for. */
async function failed(
  { domains, clock }: SetUpPorts,
  domain: Domain,
  progress: Progress,
  cause: unknown,
): Promise<SetUp> {
  const attempts = progress.attempts + 1;
  const dueAt = isoTime(clock.now() + retryMs(attempts));
  const setUp = { ...progress, attempts, problem: problemSentence(cause) };
  return changed(await domains.change(domain, { dueAt, setUp }), 'failed');
}
