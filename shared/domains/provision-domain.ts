import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { CdnTenant } from './cdn-provider.ts';
import { type CustomDomain, type StepProgress, toDomainIds } from './domain.ts';
import { failureReason } from './failure-reason.ts';
import type { CdnOfStage, DomainChanges, DomainRepository } from './ports.ts';
import { nextRemovalHold, releaseRemovalHold } from './removal-hold.ts';
import { PROVISIONING_HOLD_MS, pollDelayMs, retryDelayMs, STEP_HOLD_MS, toIsoString } from './schedule.ts';

export type ProvisionDomainPorts = {
  domains: Pick<DomainRepository, 'find' | 'update'>;
  edge: CdnOfStage;
  clock: Clock;
  log: Logger;
};

/** What came of it: the domain is served, something takes its time, or failed and is tried again, or it has changed. */
export type ProvisioningOutcome = 'active' | 'setting_up' | 'failed' | 'overtaken';

const NOT_SERVED =
  'The edge does not serve it yet: its certificate needs the CNAME record, and takes some time from then on.';

/**
 * Takes a domain whose hostname is proven one step further: it gets a tenant at the edge, and is active when that is
 * served. Where a stage has no edge it is active at once, without a tenant.
 */
export async function provisionDomain(ports: ProvisionDomainPorts, domain: CustomDomain): Promise<ProvisioningOutcome> {
  const { domains, clock, log } = ports;
  const progress = domain.setUp ?? { since: toIsoString(clock.now()), attempts: 0, problem: null };
  let current = domain;
  try {
    const edge = ports.edge();
    if (edge === undefined) return changed(await domains.update(domain, ACTIVE), 'active');
    const claimed = await domains.update(domain, { ...claim(domain, clock.now()), setUp: progress });
    if (claimed === undefined) return 'overtaken';
    current = claimed;
    const { isServed, ...tenant } = await edge.create({ domainId: domain.id, hostname: domain.hostname });
    const next = isServed ? ACTIVE : patience(progress, clock.now());
    // The claim has ended: a removal need not wait for it.
    const done = { ...next, ...namesOf(tenant, domain), busyUntil: domain.busyUntil };
    const kept = await domains.update(current, done);
    if (kept === undefined)
      await releaseRemovalHold(ports, toDomainIds(domain), { busyUntil: current.busyUntil, before: domain.busyUntil });
    return changed(kept, isServed ? 'active' : 'setting_up');
  } catch (cause) {
    log.error('a domain could not be set up at the edge', cause, toDomainIds(domain));
    log.recordMetric('DomainSetUpsFailed');
    return failed(ports, current, progress, cause);
  }
}

const changed = (answer: CustomDomain | undefined, to: ProvisioningOutcome): ProvisioningOutcome =>
  answer === undefined ? 'overtaken' : to;

/** A removal that begins from here on waits for the tenant that is being asked for, and finds it. */
const claim = (domain: CustomDomain, nowMs: number): DomainChanges => ({
  busyUntil: nextRemovalHold(domain, nowMs, PROVISIONING_HOLD_MS),
  dueAt: toIsoString(nowMs + STEP_HOLD_MS),
});

/** A certificate that was known once is not forgotten: it must go with the domain. */
const namesOf = (
  { tenantId, target, certificateArn }: Omit<CdnTenant, 'isServed'>,
  domain: CustomDomain,
): DomainChanges => ({
  ...{ tenantId, target },
  certificateArn: certificateArn ?? domain.certificateArn,
});

const patience = (progress: StepProgress, nowMs: number): DomainChanges => ({
  dueAt: toIsoString(nowMs + pollDelayMs(progress.since, nowMs)),
  setUp: { ...progress, attempts: 0, problem: NOT_SERVED },
});

const ACTIVE = { status: 'active', setUp: null, dueAt: null } as const satisfies DomainChanges;

/** What was claimed stays: nobody knows whether the edge did what it was asked for. */
async function failed(
  { domains, clock }: ProvisionDomainPorts,
  domain: CustomDomain,
  progress: StepProgress,
  cause: unknown,
): Promise<ProvisioningOutcome> {
  const attempts = progress.attempts + 1;
  const dueAt = toIsoString(clock.now() + retryDelayMs(attempts));
  const setUp = { ...progress, attempts, problem: failureReason(cause) };
  return changed(await domains.update(domain, { dueAt, setUp }), 'failed');
}
