import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type Domain, type DomainIds, idsOf, REMOVAL_STEPS, type Removal, type RemovalStep } from './domain.ts';
import type { DomainChanges, Domains, EdgeOf, Hostnames, PageBindings } from './domains.ts';
import { type Edge, EdgeFailure, type EdgeTenant } from './edge.ts';
import { problemSentence } from './problem-sentence.ts';
import { isoTime, retryMs, STEP_MS, waitMs } from './schedule.ts';

export type RemovalPorts = {
  domains: Pick<Domains, 'find' | 'change' | 'remove'>;
  hostnames: Pick<Hostnames, 'release'>;
  pages: Pick<PageBindings, 'boundTo' | 'unbind'>;
  edge: EdgeOf;
  clock: Clock;
  log: Log;
};

/**
 * What came of it: the domain is gone, something takes its time, a step failed and is tried again later, or somebody
 * else goes on with it.
 */
export type Removed = 'removed' | 'waiting' | 'failed' | 'overtaken';

type Removing = Domain & { removal: Removal };

/** What came of one attempt at a step. */
type Attempt =
  | { state: 'done'; changes?: DomainChanges }
  /** Must be kept before the step goes on. */
  | { state: 'learned'; changes: DomainChanges }
  | { state: 'waits'; untilMs?: number; problem?: string };

const DONE: Attempt = { state: 'done' };
const WAITS: Attempt = { state: 'waits' };

const isRemoving = (domain: Domain | undefined): domain is Removing =>
  domain?.status === 'removing' && domain.removal !== null;

/**
 * Takes a domain that is being removed as far as it goes now, step by step. The end of each step is a conditional write,
 * and each step can be repeated: a crash anywhere, a second runner and a lost answer are harmless, and none goes back.
 * The hostname is released last, when no page names the domain and nothing is left at the edge.
 */
export async function removeDomain(ports: RemovalPorts, ids: DomainIds): Promise<Removed> {
  let domain = await ports.domains.find(ids);
  while (isRemoving(domain)) {
    const { step } = domain.removal;
    let attempt: Attempt;
    try {
      attempt = await STEPS[step](ports, domain);
    } catch (cause) {
      return failed(ports, domain, cause);
    }
    if (attempt.state === 'waits') return waiting(ports, domain, attempt);
    if (attempt.state === 'done' && step === 'release_hostname') return ended(ports, domain);
    domain = await ports.domains.change(domain, { ...attempt.changes, ...progressed(ports, domain, attempt) });
  }
  return 'overtaken';
}

/** The next step, or the same one with what was learned. */
function progressed({ clock }: RemovalPorts, { removal }: Removing, { state }: Attempt): DomainChanges {
  const nowMs = clock.now();
  const dueAt = isoTime(nowMs + STEP_MS);
  if (state === 'learned') return { dueAt };
  const step = REMOVAL_STEPS[REMOVAL_STEPS.indexOf(removal.step) + 1] ?? 'release_hostname';
  return { dueAt, removal: { ...removal, step, since: isoTime(nowMs), attempts: 0, problem: null } };
}

async function ended({ domains, log }: RemovalPorts, domain: Removing): Promise<Removed> {
  await domains.remove(domain);
  log.info('a domain is removed', { ...idsOf(domain), requestedAt: domain.removal.requestedAt });
  return 'removed';
}

async function waiting(
  { domains, clock }: RemovalPorts,
  domain: Removing,
  { untilMs, problem = null }: { untilMs?: number; problem?: string | null },
): Promise<Removed> {
  const { removal } = domain;
  const nowMs = clock.now();
  const dueAt = isoTime(untilMs ?? nowMs + waitMs(removal.since, nowMs));
  const changed = await domains.change(domain, { dueAt, removal: { ...removal, attempts: 0, problem } });
  return changed === undefined ? 'overtaken' : 'waiting';
}

async function failed({ domains, clock, log }: RemovalPorts, domain: Removing, cause: unknown): Promise<Removed> {
  const { removal } = domain;
  log.error('a step of a domain’s removal failed', cause, { ...idsOf(domain), step: removal.step });
  log.count('DomainRemovalStepsFailed');
  const attempts = removal.attempts + 1;
  const problem = problemSentence(cause);
  const dueAt = isoTime(clock.now() + retryMs(attempts));
  const changed = await domains.change(domain, { dueAt, removal: { ...removal, attempts, problem } });
  return changed === undefined ? 'overtaken' : 'failed';
}

const STEPS: Record<RemovalStep, (ports: RemovalPorts, domain: Removing) => Promise<Attempt>> = {
  unbind_pages: unbindPages,
  disable_edge: (ports, domain) => withTenant(ports, domain, (edge, { tenantId }) => edge.disable(tenantId)),
  delete_edge: (ports, domain) => withTenant(ports, domain, (edge, { tenantId }) => edge.remove(tenantId)),
  delete_certificate: deleteCertificate,
  release_hostname: releaseHostname,
};

async function unbindPages({ pages, clock }: RemovalPorts, domain: Removing): Promise<Attempt> {
  const busyUntilMs = Date.parse(domain.busyUntil ?? '');
  if (busyUntilMs > clock.now()) {
    return { state: 'waits', untilMs: busyUntilMs, problem: 'It was being set up when its removal began.' };
  }
  const ids = idsOf(domain);
  for (const pageId of await pages.boundTo(ids)) await pages.unbind(ids, pageId);
  return { state: 'done', changes: { pageIds: [] } };
}

/** Does something for what serves the domain, whose names are kept first: with the tenant, the certificate's goes. */
async function withTenant(
  ports: RemovalPorts,
  domain: Removing,
  work: (edge: Edge, tenant: EdgeTenant) => Promise<'done' | 'under_way'>,
): Promise<Attempt> {
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
async function tenantOf(edge: Edge, { id, tenantId }: Domain): Promise<EdgeTenant | undefined> {
  const known = tenantId === null ? undefined : await edge.find(tenantId);
  return known ?? edge.findByDomain(id);
}

async function deleteCertificate(ports: RemovalPorts, domain: Removing): Promise<Attempt> {
  const edge = edgeFor(ports, domain);
  if (edge === undefined || domain.certificateArn === null) return DONE;
  return (await edge.removeCertificate(domain.certificateArn)) === 'done' ? DONE : WAITS;
}

/** @throws EdgeFailure where something must go from an edge that is not configured any more */
function edgeFor({ edge }: RemovalPorts, { tenantId, certificateArn }: Domain): Edge | undefined {
  const configured = edge();
  if (configured === undefined && (tenantId !== null || certificateArn !== null)) {
    throw new EdgeFailure('The domain is served by an edge, and this stage has none configured any more.');
  }
  return configured;
}

async function releaseHostname({ hostnames }: RemovalPorts, domain: Removing): Promise<Attempt> {
  await hostnames.release(domain.hostname, domain.id);
  return DONE;
}
