import { ERASING_SHARD, INDEX_SHARD_COUNT, type IndexShard } from '../../../shared/leads/index-shards.ts';
import type { RetentionPeriods } from '../../../shared/organizations/organization.ts';
import type { RetentionReadPorts } from '../../../shared/privacy/ports.ts';
import { leadCutoffs, retentionCutoffMs } from '../../../shared/privacy/retention-periods.ts';

/**
 * The numbers of items that a run of enforce-retention would erase now. Leads whose erasure was interrupted are
 * included, and calls in progress are excluded. `recordings` counts recordings that are erased alone or with their
 * calls.
 */
export type DueCounts = { leads: number; calls: number; recordings: number };

/** Counts the data of an organization that enforce-retention would erase with these periods. Changes nothing. */
export async function countDue(
  ports: RetentionReadPorts,
  orgId: string,
  retention: RetentionPeriods,
): Promise<DueCounts> {
  const [leads, calls] = await Promise.all([dueLeads(ports, orgId, retention), dueCalls(ports, orgId, retention)]);
  return { leads, ...calls };
}

async function dueLeads(
  { funnels, leads, clock }: RetentionReadPorts,
  orgId: string,
  retention: RetentionPeriods,
): Promise<number> {
  let count = 0;
  for (const funnelId of await funnels.listFunnelIds(orgId)) {
    count += await leadsUntil(leads, funnelId, ERASING_SHARD);
    const funnel = await funnels.find(funnelId);
    const to = funnel && leadCutoffs(retention, funnel, clock.now()).latest;
    if (to === undefined) continue;
    for (let shard = 0; shard < INDEX_SHARD_COUNT; shard++) count += await leadsUntil(leads, funnelId, shard, to);
  }
  return count;
}

async function leadsUntil(
  leads: RetentionReadPorts['leads'],
  funnelId: string,
  shard: IndexShard,
  to?: string,
): Promise<number> {
  let count = 0;
  let page: Awaited<ReturnType<typeof leads.listEntries>> | undefined;
  do {
    page = await leads.listEntries({ funnelId, shard, order: 'oldest first', to, after: page?.entries.at(-1) });
    count += page.entries.length;
  } while (!page.isLast);
  return count;
}

async function dueCalls(
  { calls, clock }: RetentionReadPorts,
  orgId: string,
  { callDays, recordingDays }: RetentionPeriods,
) {
  const due = { calls: 0, recordings: 0 };
  const nowMs = clock.now();
  const counted = new Set<string>();
  if (callDays !== undefined) {
    for await (const page of calls.listCreatedBefore(orgId, retentionCutoffMs(callDays, nowMs)))
      for (const { isInProgress: isUnderWay, hasRecording, callId } of page) {
        if (isUnderWay) continue;
        due.calls++;
        if (hasRecording) due.recordings++;
        counted.add(callId);
      }
  }
  if (recordingDays !== undefined) {
    const done = await calls.readRecordingCursor(orgId);
    for await (const page of calls.listCreatedBefore(orgId, retentionCutoffMs(recordingDays, nowMs), done))
      due.recordings += page.filter(({ hasRecording, callId }) => hasRecording && !counted.has(callId)).length;
  }
  return due;
}
