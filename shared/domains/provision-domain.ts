import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { CdnTenant } from './cdn-provider.ts';
import { describeFailure } from './describe-failure.ts';
import { type CustomDomain, type StepProgress, toDomainIds } from './domain.ts';
import type { CdnOfStage, DomainChanges, DomainRepository } from './ports.ts';
import { nextRemovalHold, releaseRemovalHold } from './removal-hold.ts';
import { PROVISIONING_HOLD_MS, pollDelayMs, retryDelayMs, STEP_HOLD_MS, toIsoString } from './schedule.ts';

export type ProvisionDomainPorts = {
  domains: Pick<DomainRepository, 'find' | 'update'>;
  edge: CdnOfStage;
  clock: Clock;
  log: Logger;
};

/**
 * `active`: provisioning is complete. `provisioning`: the CDN needs more time. `failed`: the attempt failed and is
 * retried later. `conflict`: the domain has changed since it was read.
 */
export type ProvisioningOutcome = 'active' | 'provisioning' | 'failed' | 'conflict';

const NOT_SERVED =
  'The edge does not serve the hostname yet. Create its CNAME record if the record is missing. ' +
  'The certificate is issued some time after the record exists.';

/**
 * Continues the provisioning of a verified domain: creates its tenant at the CDN, and makes the domain active as soon
 * as the CDN serves its hostname. In a stage without a CDN, the domain becomes active immediately, without a tenant.
 *
 * @throws errors of the repository if the outcome can't be stored
 */
export async function provisionDomain(ports: ProvisionDomainPorts, domain: CustomDomain): Promise<ProvisioningOutcome> {
  const { domains, clock, log } = ports;
  const progress = domain.provisioning ?? { since: toIsoString(clock.now()), attempts: 0, failureReason: null };
  let current = domain;
  try {
    const edge = ports.edge();
    if (edge === undefined) return changed(await domains.update(domain, activated(clock.now())), 'active');
    const domainOnHold = await domains.update(domain, { ...holdOf(domain, clock.now()), provisioning: progress });
    if (domainOnHold === undefined) return 'conflict';
    current = domainOnHold;
    const { isServed, ...tenant } = await edge.create({ domainId: domain.id, hostname: domain.hostname });
    const next = isServed ? activated(clock.now()) : notServedYet(progress, clock.now());
    // Releases the hold, so that a removal does not wait until the hold expires.
    const done = { ...next, ...namesOf(tenant, domain), removalHoldUntil: domain.removalHoldUntil };
    const updated = await domains.update(current, done);
    if (updated === undefined) {
      await releaseRemovalHold(ports, toDomainIds(domain), {
        removalHoldUntil: current.removalHoldUntil,
        before: domain.removalHoldUntil,
      });
    }
    return changed(updated, isServed ? 'active' : 'provisioning');
  } catch (cause) {
    log.error('A domain could not be provisioned. The sweeper retries it.', cause, toDomainIds(domain));
    log.recordMetric('DomainProvisioningFailed');
    return failed(ports, current, progress, cause);
  }
}

const changed = (updated: CustomDomain | undefined, to: ProvisioningOutcome): ProvisioningOutcome =>
  updated === undefined ? 'conflict' : to;

/**
 * Returns the changes that are stored before the tenant is requested. `removalHoldUntil` makes a removal wait until the
 * hold is released or expires, so that the removal finds the tenant. If this attempt has not ended at `dueAt`, the
 * sweeper makes another attempt.
 */
const holdOf = (domain: CustomDomain, nowMs: number): DomainChanges => ({
  removalHoldUntil: nextRemovalHold(domain, nowMs, PROVISIONING_HOLD_MS),
  dueAt: toIsoString(nowMs + STEP_HOLD_MS),
});

/** If the CDN no longer reports a certificate, keeps the stored ARN, so that a removal can delete the certificate. */
const namesOf = (
  { tenantId, target, certificateArn }: Omit<CdnTenant, 'isServed'>,
  domain: CustomDomain,
): DomainChanges => ({
  tenantId,
  target,
  certificateArn: certificateArn ?? domain.certificateArn,
});

const notServedYet = (progress: StepProgress, nowMs: number): DomainChanges => ({
  dueAt: toIsoString(nowMs + pollDelayMs(progress.since, nowMs)),
  provisioning: { ...progress, attempts: 0, failureReason: NOT_SERVED },
});

const activated = (nowMs: number): DomainChanges => ({
  status: 'active',
  provisioning: null,
  dueAt: null,
  activatedAt: toIsoString(nowMs),
});

/**
 * Stores the failure in the domain. The removal hold stays, because it is unknown whether the CDN executed the request.
 */
async function failed(
  { domains, clock }: ProvisionDomainPorts,
  domain: CustomDomain,
  progress: StepProgress,
  cause: unknown,
): Promise<ProvisioningOutcome> {
  const attempts = progress.attempts + 1;
  const dueAt = toIsoString(clock.now() + retryDelayMs(attempts));
  const provisioning = { ...progress, attempts, failureReason: describeFailure(cause) };
  return changed(await domains.update(domain, { dueAt, provisioning }), 'failed');
}
