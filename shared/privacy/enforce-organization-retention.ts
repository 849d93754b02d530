import { paginateErasingLeads, paginateLeads } from '../leads/paginate-leads.ts';
import type { LeadIndexEntry } from '../leads/ports.ts';
import type { RetentionPeriods } from '../organizations/organization.ts';
import type { RetainedCall } from '../training/retained-call.ts';
import type { OrganizationRetentionPorts, RetentionOutcome } from './ports.ts';
import { type ProcessingBounds, processEach } from './process-each.ts';
import { effectiveLeadRetentionDays, retentionCutoffMs } from './retention-periods.ts';

const LEADS_AT_ONCE = 8;
/** Each is asked of the provider. */
const CALLS_AT_ONCE = 4;
const POSITIONS_A_PAGE = 100;
const FAILURES_MAX = 20;

type Count = (what: RetentionOutcome) => void;

/** What an organization's turn needs besides the ports. */
type OrganizationRun = { orgId: string; endMs: number; count: Count };

/**
 * Erases what an organization has kept for longer than it wants to: leads with their files, calls, and recordings. The
 * oldest first, so that a turn that ends, or dies, is gone on with by the next one without knowing of it.
 *
 * @returns whether something due may be left that another turn would come to
 * @throws when its settings can't be read
 */
export async function enforceOrganizationRetention(
  ports: OrganizationRetentionPorts,
  turn: OrganizationRun,
): Promise<boolean> {
  const organization = await ports.organizations.find(turn.orgId);
  if (organization === undefined) return false;
  const { retention } = organization;
  const isLeft = [
    await enforceLeads(ports, turn, retention),
    await enforceCalls(ports, turn, retention),
    await enforceRecordings(ports, turn, retention),
  ];
  return isLeft.includes(true);
}

async function enforceLeads(
  ports: OrganizationRetentionPorts,
  turn: OrganizationRun,
  retention: RetentionPeriods,
): Promise<boolean> {
  let isLeft = false;
  for (const funnelId of await ports.funnels.listFunnelIds(turn.orgId)) {
    if (ports.clock.now() >= turn.endMs) return true;
    await orFailed(ports, 'funnels_failed', { funnelId }, turn.count, async () => {
      isLeft = (await enforceFunnel(ports, turn, retention, funnelId)) || isLeft;
    });
  }
  return isLeft;
}

/** Also without a period, an erasure that somebody began is gone on with. @returns whether its time was too short */
async function enforceFunnel(
  ports: OrganizationRetentionPorts,
  turn: OrganizationRun,
  retention: RetentionPeriods,
  funnelId: string,
): Promise<boolean> {
  const { leads, clock } = ports;
  const limit = POSITIONS_A_PAGE;
  const isLeft = await eraseLeads(ports, turn, funnelId, paginateErasingLeads(leads, { funnelId, limit }), undefined);
  const funnel = await ports.funnels.find(funnelId);
  const days = funnel && effectiveLeadRetentionDays(retention, funnel);
  if (days === undefined) return isLeft;
  const to = new Date(retentionCutoffMs(days, clock.now())).toISOString();
  const due = paginateLeads(leads, { funnelId, order: 'oldest first', to, limit });
  return (await eraseLeads(ports, turn, funnelId, due, to)) || isLeft;
}

async function eraseLeads(
  ports: OrganizationRetentionPorts,
  turn: OrganizationRun,
  funnelId: string,
  positions: AsyncIterable<LeadIndexEntry>,
  lastSubmittedBy: string | undefined,
): Promise<boolean> {
  const { orgId, count } = turn;
  const ended = await processEach(positions, boundsOf(ports, turn, LEADS_AT_ONCE), ({ leadId }) =>
    orFailed(ports, 'leads_failed', { leadId }, count, async () => {
      const outcome = await ports.eraseLead({ orgId, funnelId, leadId }, lastSubmittedBy);
      count(outcome === 'not due' ? 'leads_submitted_again' : `leads_${outcome}`);
    }),
  );
  return ended === 'out_of_time';
}

async function enforceCalls(
  ports: OrganizationRetentionPorts,
  turn: OrganizationRun,
  { callDays }: RetentionPeriods,
): Promise<boolean> {
  if (callDays === undefined) return false;
  const { orgId, count } = turn;
  const old = ports.calls.listCreatedBefore(orgId, retentionCutoffMs(callDays, ports.clock.now()));
  const ended = await processEach(oneByOne(old), boundsOf(ports, turn, CALLS_AT_ONCE), ({ callId }) =>
    orFailed(ports, 'calls_failed', { callId }, count, async () => {
      const outcome = await ports.eraseCall({ orgId, callId });
      count(outcome === 'unknown' ? 'calls_gone' : `calls_${outcome}`);
    }),
  );
  return ended === 'out_of_time';
}

/** From where an earlier run has come to: each call is asked of the provider once, and not each day of its life. */
async function enforceRecordings(
  ports: OrganizationRetentionPorts,
  turn: OrganizationRun,
  { recordingDays }: RetentionPeriods,
): Promise<boolean> {
  if (recordingDays === undefined) return false;
  const { calls, clock } = ports;
  const { orgId } = turn;
  let isWhole = true;
  const done = await calls.readRecordingCursor(orgId);
  for await (const page of calls.listCreatedBefore(orgId, retentionCutoffMs(recordingDays, clock.now()), done)) {
    const without = new Set<RetainedCall>();
    const ended = await processEach(inOrder(page), boundsOf(ports, turn, CALLS_AT_ONCE), (call) =>
      orFailed(ports, 'recordings_failed', { callId: call.callId }, turn.count, async () => {
        const outcome = await ports.eraseRecording(call);
        if (outcome !== 'under_way') without.add(call);
        if (outcome === 'under_way' || (outcome === 'erased' && call.hasRecording)) turn.count(`recordings_${outcome}`);
      }),
    );
    const upTo = page.findIndex((call) => !without.has(call));
    const last = page.at(upTo === -1 ? -1 : upTo - 1);
    if (isWhole && upTo !== 0 && last !== undefined) await calls.saveRecordingCursor(orgId, last.callId);
    isWhole &&= upTo === -1;
    if (ended !== 'all') return ended === 'out_of_time';
  }
  return false;
}

const boundsOf = (
  { clock }: OrganizationRetentionPorts,
  { endMs }: OrganizationRun,
  atOnce: number,
): ProcessingBounds => ({
  atOnce,
  hasTime: () => clock.now() < endMs,
  failuresMax: FAILURES_MAX,
});

/** What fails is told and counted, keeps nothing else from being done, and is come back to by the next run. */
async function orFailed(
  { log }: OrganizationRetentionPorts,
  failed: RetentionOutcome,
  ids: Record<string, string>,
  count: Count,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (cause) {
    log.error('what is due by retention could not be erased', cause, ids);
    count(failed);
    return false;
  }
}

async function* oneByOne<T>(pages: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}

async function* inOrder<T>(page: readonly T[]): AsyncGenerator<T> {
  yield* page;
}
