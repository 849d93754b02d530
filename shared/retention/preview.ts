import type { Retention } from '../directory/organization.ts';
import { SEALED, SHARDS, type Shard } from '../leads/lead-item.ts';
import { cutOffMs, leadDaysOf } from './periods.ts';
import type { DuePorts } from './retention-ports.ts';

/** How many a run would erase now, leads whose erasure broke off included, those that are under way left out. A recording goes by itself or with its call. */
export type Due = { leads: number; calls: number; recordings: number };

/** What the next run would erase of an organization with such periods. Reads and changes nothing. */
export async function dueOf(ports: DuePorts, orgId: string, retention: Retention): Promise<Due> {
  const [leads, calls] = await Promise.all([dueLeads(ports, orgId, retention), dueCalls(ports, orgId, retention)]);
  return { leads, ...calls };
}

async function dueLeads({ funnels, leads, clock }: DuePorts, orgId: string, retention: Retention): Promise<number> {
  let count = 0;
  for (const funnelId of await funnels.funnelsOf(orgId)) {
    count += await leadsUntil(leads, funnelId, SEALED);
    const funnel = await funnels.find(funnelId);
    const days = funnel && leadDaysOf(retention, funnel);
    if (days === undefined) continue;
    const to = new Date(cutOffMs(days, clock.now())).toISOString();
    for (let shard = 0; shard < SHARDS; shard++) count += await leadsUntil(leads, funnelId, shard, to);
  }
  return count;
}

async function leadsUntil(leads: DuePorts['leads'], funnelId: string, shard: Shard, to?: string): Promise<number> {
  let count = 0;
  let page: Awaited<ReturnType<typeof leads.page>> | undefined;
  do {
    page = await leads.page({ funnelId, shard, order: 'oldest first', to, after: page?.positions.at(-1) });
    count += page.positions.length;
  } while (!page.isLast);
  return count;
}

async function dueCalls({ calls, clock }: DuePorts, orgId: string, { callDays, recordingDays }: Retention) {
  const due = { calls: 0, recordings: 0 };
  const nowMs = clock.now();
  const counted = new Set<string>();
  if (callDays !== undefined) {
    for await (const page of calls.until(orgId, cutOffMs(callDays, nowMs)))
      for (const { isUnderWay, hasRecording, callId } of page) {
        if (isUnderWay) continue;
        due.calls++;
        if (hasRecording) due.recordings++;
        counted.add(callId);
      }
  }
  if (recordingDays !== undefined) {
    const done = await calls.recordingsDone(orgId);
    for await (const page of calls.until(orgId, cutOffMs(recordingDays, nowMs), done))
      due.recordings += page.filter(({ hasRecording, callId }) => hasRecording && !counted.has(callId)).length;
  }
  return due;
}
