import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { CdnError, type CdnProvider, type CdnTenant } from './cdn-provider.ts';
import {
  type CustomDomain,
  type DomainIds,
  REMOVAL_STEPS,
  type Removal,
  type RemovalStep,
  toDomainIds,
} from './domain.ts';
import { failureReason } from './failure-reason.ts';
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
  edge: CdnOfStage;
  clock: Clock;
  log: Logger;
};

/**
 * What came of it: the domain is gone, something takes its time, a step failed and is tried again later, or somebody
 * else goes on with it.
 */
export type RemovalOutcome = 'removed' | 'waiting' | 'failed' | 'overtaken';

type Removing = CustomDomain & { removal: Removal };

/** What came of one attempt at a step. */
type StepOutcome =
  | { state: 'done'; changes?: DomainChanges }
  /** Must be kept before the step goes on. */
  | { state: 'learned'; changes: DomainChanges }
  | { state: 'waits'; untilMs?: number; problem?: string };

const DONE: StepOutcome = { state: 'done' };
const WAITS: StepOutcome = { state: 'waits' };

const isRemoving = (domain: CustomDomain | undefined): domain is Removing =>
  domain?.status === 'removing' && domain.removal !== null;

/**
 * Takes a domain that is being removed as far as it goes now, step by step. The end of each step is a conditional write,
 * and each step can be repeated: a crash anywhere, a second runner and a lost answer are harmless, and none goes back.
 * The hostname is released last, when no page names the domain and nothing is left at the edge.
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
  return 'overtaken';
}

/** The next step, or the same one with what was learned. */
function progressed({ clock }: RunRemovalPorts, { removal }: Removing, { state }: StepOutcome): DomainChanges {
  const nowMs = clock.now();
  const dueAt = toIsoString(nowMs + STEP_HOLD_MS);
  if (state === 'learned') return { dueAt };
  const step = REMOVAL_STEPS[REMOVAL_STEPS.indexOf(removal.step) + 1] ?? 'release_hostname';
  return { dueAt, removal: { ...removal, step, since: toIsoString(nowMs), attempts: 0, problem: null } };
}

async function ended({ domains, log }: RunRemovalPorts, domain: Removing): Promise<RemovalOutcome> {
  await domains.delete(domain);
  log.info('a domain is removed', { ...toDomainIds(domain), requestedAt: domain.removal.requestedAt });
  return 'removed';
}

async function waiting(
  { domains, clock }: RunRemovalPorts,
  domain: Removing,
  { untilMs, problem = null }: { untilMs?: number; problem?: string | null },
): Promise<RemovalOutcome> {
  const { removal } = domain;
  const nowMs = clock.now();
  const dueAt = toIsoString(untilMs ?? nowMs + pollDelayMs(removal.since, nowMs));
  const changed = await domains.update(domain, { dueAt, removal: { ...removal, attempts: 0, problem } });
  return changed === undefined ? 'overtaken' : 'waiting';
}

async function failed(
  { domains, clock, log }: RunRemovalPorts,
  domain: Removing,
  cause: unknown,
): Promise<RemovalOutcome> {
  const { removal } = domain;
  log.error('a step of a domain’s removal failed', cause, { ...toDomainIds(domain), step: removal.step });
  log.recordMetric('DomainRemovalStepsFailed');
  const attempts = removal.attempts + 1;
  const problem = failureReason(cause);
  const dueAt = toIsoString(clock.now() + retryDelayMs(attempts));
  const changed = await domains.update(domain, { dueAt, removal: { ...removal, attempts, problem } });
  return changed === undefined ? 'overtaken' : 'failed';
}

const STEPS: Record<RemovalStep, (ports: RunRemovalPorts, domain: Removing) => Promise<StepOutcome>> = {
  unbind_pages: unbindPages,
  disable_edge: (ports, domain) => withTenant(ports, domain, (edge, { tenantId }) => edge.disable(tenantId)),
  delete_edge: (ports, domain) => withTenant(ports, domain, (edge, { tenantId }) => edge.delete(tenantId)),
  delete_certificate: deleteCertificate,
  release_hostname: releaseHostname,
};

async function unbindPages({ pages, clock }: RunRemovalPorts, domain: Removing): Promise<StepOutcome> {
  const busyUntilMs = Date.parse(domain.busyUntil ?? '');
  if (busyUntilMs > clock.now()) {
    return { state: 'waits', untilMs: busyUntilMs, problem: 'It was being set up when its removal began.' };
  }
  const ids = toDomainIds(domain);
  for (const pageId of await pages.listPageIds(ids)) await pages.unbind(ids, pageId);
  return { state: 'done', changes: { pageIds: [] } };
}

/** Does something for what serves the domain, whose names are kept first: with the tenant, the certificate's goes. */
async function withTenant(
  ports: RunRemovalPorts,
  domain: Removing,
  work: (edge: CdnProvider, tenant: CdnTenant) => Promise<'done' | 'under_way'>,
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

/** By its domain where its id is not known: the answer that told it may have been lost. */
async function tenantOf(edge: CdnProvider, { id, tenantId }: CustomDomain): Promise<CdnTenant | undefined> {
  const known = tenantId === null ? undefined : await edge.find(tenantId);
  return known ?? edge.findByDomain(id);
}

async function deleteCertificate(ports: RunRemovalPorts, domain: Removing): Promise<StepOutcome> {
  const edge = edgeFor(ports, domain);
  if (edge === undefined || domain.certificateArn === null) return DONE;
  return (await edge.deleteCertificate(domain.certificateArn)) === 'done' ? DONE : WAITS;
}

/** @throws EdgeFailure where something must go from an edge that is not configured any more */
function edgeFor({ edge }: RunRemovalPorts, { tenantId, certificateArn }: CustomDomain): CdnProvider | undefined {
  const configured = edge();
  if (configured === undefined && (tenantId !== null || certificateArn !== null)) {
    throw new CdnError('The domain is served by an edge, and this stage has none configured any more.');
  }
  return configured;
}

async function releaseHostname({ hostnames }: RunRemovalPorts, domain: Removing): Promise<StepOutcome> {
  await hostnames.release(domain.hostname, domain.id);
  return DONE;
}
