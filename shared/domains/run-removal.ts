import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { CdnError, type CdnProvider, type CdnTenant } from './cdn-provider.ts';
import { describeFailure } from './describe-failure.ts';
import {
  type CustomDomain,
  type DomainIds,
  REMOVAL_STEPS,
  type Removal,
  type RemovalStep,
  toDomainIds,
} from './domain.ts';
import type {
  CdnOfStage,
  DomainChanges,
  DomainRepository,
  HostnameRepository,
  PageBindingRepository,
} from './ports.ts';
import { pollDelayMs, retryDelayMs, STEP_HOLD_MS, toIsoString } from './schedule.ts';

export type RunRemovalPorts = {
  domains: Pick<DomainRepository, 'find' | 'update' | 'delete'>;
  hostnames: Pick<HostnameRepository, 'release'>;
  pages: Pick<PageBindingRepository, 'listPageIds' | 'unbind'>;
  deliveries: {
    /** Removes the messages about a domain that is being removed. Idempotent. */
    erase(domain: DomainIds): Promise<void>;
  };
  edge: CdnOfStage;
  clock: Clock;
  log: Logger;
};

/**
 * `removed`: the domain is deleted. `waiting`: a step needs more time. `failed`: a step failed and is retried later.
 * `conflict`: another process continues the removal, or the domain is not being removed.
 */
export type RemovalOutcome = 'removed' | 'waiting' | 'failed' | 'conflict';

type Removing = CustomDomain & { removal: Removal };

type StepOutcome =
  | { state: 'done'; changes?: DomainChanges }
  /** The changes must be stored before the step continues. */
  | { state: 'learned'; changes: DomainChanges }
  | { state: 'waits'; untilMs?: number; failureReason?: string };

const DONE: StepOutcome = { state: 'done' };
const WAITS: StepOutcome = { state: 'waits' };

const isRemoving = (domain: CustomDomain | undefined): domain is Removing =>
  domain?.status === 'removing' && domain.removal !== null;

/**
 * Runs the steps of a removal until a step has to wait or fails, or the domain is removed. Each step can be repeated
 * and ends with a conditional write, so that a crash, a concurrent run and a lost response are harmless, and no step is
 * undone. The hostname is released last, when no page is bound to the domain and nothing is left at the CDN.
 *
 * @throws errors of the repository if the domain can't be read or changed
 */
export async function runRemoval(ports: RunRemovalPorts, ids: DomainIds): Promise<RemovalOutcome> {
  let domain = await ports.domains.find(ids);
  while (isRemoving(domain)) {
    const { step } = domain.removal;
    let attempt: StepOutcome;
    try {
      attempt = await STEPS[step](ports, domain);
    } catch (cause) {
      return failed(ports, domain, cause);
    }
    if (attempt.state === 'waits') return waiting(ports, domain, attempt);
    if (attempt.state === 'done' && step === 'release_hostname') return ended(ports, domain);
    domain = await ports.domains.update(domain, { ...attempt.changes, ...progressed(ports, domain, attempt) });
  }
  return 'conflict';
}

/** After `learned`, the removal continues with the same step, otherwise with the next step. */
function progressed({ clock }: RunRemovalPorts, { removal }: Removing, { state }: StepOutcome): DomainChanges {
  const nowMs = clock.now();
  const dueAt = toIsoString(nowMs + STEP_HOLD_MS);
  if (state === 'learned') return { dueAt };
  const step = REMOVAL_STEPS[REMOVAL_STEPS.indexOf(removal.step) + 1] ?? 'release_hostname';
  return { dueAt, removal: { ...removal, step, since: toIsoString(nowMs), attempts: 0, failureReason: null } };
}

async function ended({ domains, log }: RunRemovalPorts, domain: Removing): Promise<RemovalOutcome> {
  await domains.delete(domain);
  log.info('A domain was removed.', { ...toDomainIds(domain), requestedAt: domain.removal.requestedAt });
  return 'removed';
}

async function waiting(
  { domains, clock }: RunRemovalPorts,
  domain: Removing,
  { untilMs, failureReason = null }: { untilMs?: number; failureReason?: string | null },
): Promise<RemovalOutcome> {
  const { removal } = domain;
  const nowMs = clock.now();
  const dueAt = toIsoString(untilMs ?? nowMs + pollDelayMs(removal.since, nowMs));
  const changed = await domains.update(domain, { dueAt, removal: { ...removal, attempts: 0, failureReason } });
  return changed === undefined ? 'conflict' : 'waiting';
}

async function failed(
  { domains, clock, log }: RunRemovalPorts,
  domain: Removing,
  cause: unknown,
): Promise<RemovalOutcome> {
  const { removal } = domain;
  log.error('A step of a domain removal failed. The sweeper retries it.', cause, {
    ...toDomainIds(domain),
    step: removal.step,
  });
  log.recordMetric('DomainRemovalStepsFailed');
  const attempts = removal.attempts + 1;
  const failureReason = describeFailure(cause);
  const dueAt = toIsoString(clock.now() + retryDelayMs(attempts));
  const changed = await domains.update(domain, { dueAt, removal: { ...removal, attempts, failureReason } });
  return changed === undefined ? 'conflict' : 'failed';
}

const STEPS: Record<RemovalStep, (ports: RunRemovalPorts, domain: Removing) => Promise<StepOutcome>> = {
  unbind_pages: unbindPages,
  disable_edge: (ports, domain) => withTenant(ports, domain, (edge, { tenantId }) => edge.disable(tenantId)),
  delete_edge: (ports, domain) => withTenant(ports, domain, (edge, { tenantId }) => edge.delete(tenantId)),
  delete_certificate: deleteCertificate,
  release_hostname: releaseHostname,
};

async function unbindPages({ pages, deliveries, clock }: RunRemovalPorts, domain: Removing): Promise<StepOutcome> {
  const removalHoldUntilMs = Date.parse(domain.removalHoldUntil ?? '');
  if (removalHoldUntilMs > clock.now()) {
    return {
      state: 'waits',
      untilMs: removalHoldUntilMs,
      failureReason: 'Another process may still be changing the domain. The removal waits for that process.',
    };
  }
  const ids = toDomainIds(domain);
  await deliveries.erase(ids);
  for (const pageId of await pages.listPageIds(ids)) await pages.unbind(ids, pageId);
  return { state: 'done', changes: { pageIds: [] } };
}

/**
 * Runs `work` on the tenant, if there is one. The id of the tenant and its certificate are stored first, because the
 * CDN does not report them after the tenant is deleted.
 */
async function withTenant(
  ports: RunRemovalPorts,
  domain: Removing,
  work: (edge: CdnProvider, tenant: CdnTenant) => Promise<'done' | 'in_progress'>,
): Promise<StepOutcome> {
  const edge = edgeFor(ports, domain);
  const tenant = edge && (await tenantOf(edge, domain));
  if (edge === undefined || tenant === undefined) return DONE;
  const { tenantId, certificateArn = domain.certificateArn } = tenant;
  if (tenantId !== domain.tenantId || certificateArn !== domain.certificateArn) {
    return { state: 'learned', changes: { tenantId, certificateArn } };
  }
  return (await work(edge, tenant)) === 'done' ? DONE : WAITS;
}

/** Finds the tenant by its id, or else by its domain, because the response that contained the id may have been lost. */
async function tenantOf(edge: CdnProvider, { id, tenantId }: CustomDomain): Promise<CdnTenant | undefined> {
  const known = tenantId === null ? undefined : await edge.find(tenantId);
  return known ?? edge.findByDomain(id);
}

async function deleteCertificate(ports: RunRemovalPorts, domain: Removing): Promise<StepOutcome> {
  const edge = edgeFor(ports, domain);
  if (edge === undefined || domain.certificateArn === null) return DONE;
  return (await edge.deleteCertificate(domain.certificateArn)) === 'done' ? DONE : WAITS;
}

/** @throws CdnError if something must be deleted at a CDN that is not configured any more */
function edgeFor({ edge }: RunRemovalPorts, { tenantId, certificateArn }: CustomDomain): CdnProvider | undefined {
  const configured = edge();
  if (configured === undefined && (tenantId !== null || certificateArn !== null)) {
    throw new CdnError(
      'The domain uses an edge, but this stage has no edge any more. Deploy again with -c edgeDistribution=ID.',
    );
  }
  return configured;
}

async function releaseHostname({ hostnames }: RunRemovalPorts, domain: Removing): Promise<StepOutcome> {
  await hostnames.release(domain.hostname, domain.id);
  return DONE;
}
