import { paginateErasingLeads, paginateLeads } from '../leads/paginate-leads.ts';
import type { LeadIndexEntry } from '../leads/ports.ts';
import type { RetentionPeriods } from '../organizations/organization.ts';
import { type ProcessingBounds, processEach } from '../platform/process-each.ts';
import type { RetainedCall } from '../training/ports.ts';
import type { OrganizationRetentionPorts, RetentionOutcome } from './ports.ts';
import { leadCutoffs, retentionCutoffMs } from './retention-periods.ts';

const CONCURRENT_LEADS = 8;
/** Low, because the erasure of a call sends requests to the voice provider. */
const CONCURRENT_CALLS = 4;
const INDEX_ENTRIES_PER_PAGE = 100;
const FAILURES_MAX = 20;

type Count = (what: RetentionOutcome) => void;

/** One run for an organization. No erasure is started after `endMs`. */
type OrganizationRun = { orgId: string; endMs: number; count: Count };

/**
 * Erases the leads (with their files), calls and recordings of an organization after the end of their retention
 * periods, oldest first. Stores a cursor only for recordings: erased leads and calls are not listed again, but a call
 * without its recording is.
 *
 * @returns true if the time is over; some due data may then not be erased yet
 * @throws Error when the settings, the list of funnels, the calls or the cursor can't be read, or the cursor can't be
 *   stored
 */
export async function enforceOrganizationRetention(
  ports: OrganizationRetentionPorts,
  run: OrganizationRun,
): Promise<boolean> {
  const organization = await ports.organizations.find(run.orgId);
  if (organization === undefined) return false;
  const { retention } = organization;
  const isLeft = [
    await enforceLeads(ports, run, retention),
    await enforceCalls(ports, run, retention),
    await enforceRecordings(ports, run, retention),
  ];
  return isLeft.includes(true);
}

async function enforceLeads(
  ports: OrganizationRetentionPorts,
  run: OrganizationRun,
  retention: RetentionPeriods,
): Promise<boolean> {
  let isLeft = false;
  for (const funnelId of await ports.funnels.listFunnelIds(run.orgId)) {
    if (ports.clock.now() >= run.endMs) return true;
    await countFailure(ports, 'funnels_failed', { orgId: run.orgId, funnelId }, run.count, async () => {
      isLeft = (await enforceFunnel(ports, run, retention, funnelId)) || isLeft;
    });
  }
  return isLeft;
}

/**
 * Continues interrupted erasures, even in a funnel without a retention period. Then erases due leads.
 *
 * @returns true if the time is over; some due leads may then not be erased yet
 */
async function enforceFunnel(
  ports: OrganizationRetentionPorts,
  run: OrganizationRun,
  retention: RetentionPeriods,
  funnelId: string,
): Promise<boolean> {
  const { leads, clock } = ports;
  const limit = INDEX_ENTRIES_PER_PAGE;
  const isLeft = await eraseLeads(ports, run, funnelId, paginateErasingLeads(leads, { funnelId, limit }), undefined);
  const funnel = await ports.funnels.find(funnelId);
  if (funnel === undefined) return isLeft;
  const { due, latest } = leadCutoffs(retention, funnel, clock.now());
  if (latest === undefined) return isLeft;
  const candidates = paginateLeads(leads, { funnelId, order: 'oldest first', to: latest, limit });
  return (await eraseLeads(ports, run, funnelId, candidates, due)) || isLeft;
}

async function eraseLeads(
  ports: OrganizationRetentionPorts,
  run: OrganizationRun,
  funnelId: string,
  positions: AsyncIterable<LeadIndexEntry>,
  lastSubmitUntil: string | undefined,
): Promise<boolean> {
  const { orgId, count } = run;
  const ended = await processEach(positions, boundsOf(ports, run, CONCURRENT_LEADS), ({ leadId }) =>
    countFailure(ports, 'leads_failed', { orgId, funnelId, leadId }, count, async () => {
      const outcome = await ports.eraseLead({ orgId, funnelId, leadId }, lastSubmitUntil);
      count(outcome === 'not_due' ? 'leads_submitted_again' : `leads_${outcome}`);
    }),
  );
  return ended === 'out_of_time';
}

async function enforceCalls(
  ports: OrganizationRetentionPorts,
  run: OrganizationRun,
  { callDays }: RetentionPeriods,
): Promise<boolean> {
  if (callDays === undefined) return false;
  const { orgId, count } = run;
  const old = ports.calls.listCreatedBefore(orgId, retentionCutoffMs(callDays, ports.clock.now()));
  const ended = await processEach(flatten(old), boundsOf(ports, run, CONCURRENT_CALLS), ({ callId }) =>
    countFailure(ports, 'calls_failed', { orgId, callId }, count, async () => {
      const outcome = await ports.eraseCall({ orgId, callId });
      count(outcome === 'unknown' ? 'calls_not_found' : `calls_${outcome}`);
    }),
  );
  return ended === 'out_of_time';
}

/** Starts at the stored cursor, so that a run does not read again the calls that earlier runs have processed. */
async function enforceRecordings(
  ports: OrganizationRetentionPorts,
  run: OrganizationRun,
  { recordingDays }: RetentionPeriods,
): Promise<boolean> {
  if (recordingDays === undefined) return false;
  const { calls, clock } = ports;
  const { orgId } = run;
  let isContiguous = true;
  const cursor = await calls.readRecordingCursor(orgId);
  for await (const page of calls.listCreatedBefore(orgId, retentionCutoffMs(recordingDays, clock.now()), cursor)) {
    const completed = new Set<RetainedCall>();
    const ended = await processEach(iterate(page), boundsOf(ports, run, CONCURRENT_CALLS), (call) =>
      countFailure(ports, 'recordings_failed', { orgId, callId: call.callId }, run.count, async () => {
        const outcome = await ports.eraseRecording(call);
        if (outcome !== 'in_progress') completed.add(call);
        if (outcome === 'in_progress' || (outcome === 'erased' && call.hasRecording))
          run.count(`recordings_${outcome}`);
      }),
    );
    const firstIncomplete = page.findIndex((call) => !completed.has(call));
    const last = page.at(firstIncomplete === -1 ? -1 : firstIncomplete - 1);
    if (isContiguous && firstIncomplete !== 0 && last !== undefined)
      await calls.saveRecordingCursor(orgId, last.callId);
    isContiguous &&= firstIncomplete === -1;
    if (ended !== 'all') return ended === 'out_of_time';
  }
  return false;
}

const boundsOf = (
  { clock }: OrganizationRetentionPorts,
  { endMs }: OrganizationRun,
  concurrency: number,
): ProcessingBounds => ({
  concurrency,
  hasTime: () => clock.now() < endMs,
  failuresMax: FAILURES_MAX,
});

/**
 * Runs `work`. If it fails, logs and counts the failure instead of throwing.
 *
 * @returns whether `work` succeeded
 */
async function countFailure(
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
    log.error('Data whose retention period has ended could not be erased. The next run retries.', cause, ids);
    count(failed);
    return false;
  }
}

async function* flatten<T>(pages: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}

async function* iterate<T>(page: readonly T[]): AsyncGenerator<T> {
  yield* page;
}
