import { type Erased, type ErasePorts, erase } from '../analytics/upkeep/erase.ts';
import { fateOf } from '../uploads/erase-upload.ts';
import { type EraseLeadPorts, eraseLead } from './erase-lead.ts';
import type { FoundInFunnel } from './find-person.ts';
import { type FilesByLead, filesOf, leadName, uploadsOf } from './lead-files.ts';

export type ErasePersonPorts = EraseLeadPorts & { analytics: ErasePorts };

/** What was removed, or would be. */
export type RemovedCounts = {
  leads: number;
  files: number;
  /** Files that another lead has too: they stay, and forget the person's lead. */
  sharedFiles: number;
  sessions: number;
  /** Raw events, those in records that wait for an operator included. */
  events: number;
  /** What is counted of sessions, those that earlier erasures left included. */
  facts: number;
};

/** What became of a funnel's share. */
export type FunnelErasure = RemovedCounts & {
  funnelId: string;
  lookedAt: number;
  /** Leads that are still there, because of the failure. */
  leftLeads: number;
  failure?: unknown;
};

const NOTHING: RemovedCounts = { leads: 0, files: 0, sharedFiles: 0, sessions: 0, events: 0, facts: 0 };

/** What `eraseFound` would remove; nothing is changed. */
export async function planOf(
  ports: ErasePersonPorts,
  orgId: string,
  found: readonly FoundInFunnel[],
): Promise<FunnelErasure[]> {
  const files = await filesOf(ports.uploads, orgId, found);
  const plans: FunnelErasure[] = [];
  for (const { funnelId, lookedAt, leadIds } of found) {
    const plan: FunnelErasure = { funnelId, lookedAt, leftLeads: 0, ...NOTHING, leads: leadIds.length };
    plans.push(plan);
    if (leadIds.length === 0) continue;
    addErased(plan, await erase(ports.analytics, funnelId, { sessionIds: [], leadIds }, { dryRun: true }));
    for (const leadId of leadIds) await planFiles(ports, { orgId, funnelId, leadId }, files, plan);
  }
  return plans;
}

async function planFiles(
  { leads, uploads }: ErasePersonPorts,
  lead: { orgId: string; funnelId: string; leadId: string },
  files: FilesByLead,
  plan: RemovedCounts,
): Promise<void> {
  const name = leadName(lead);
  const read = await leads.read(lead);
  for await (const upload of uploadsOf(uploads, lead.orgId, read?.uuids ?? [], files.get(name))) {
    const fate = fateOf(upload, name);
    if (fate === 'removed') plan.files++;
    if (fate === 'shared') plan.sharedFiles++;
  }
}

/**
 * Erases all that was found of a person. In each funnel what is told of their visits goes first and the leads last, as
 * they lead to the rest: whoever died on the way finds what is left by the same address again. A funnel that fails
 * costs the others nothing.
 */
export async function* eraseFound(
  ports: ErasePersonPorts,
  orgId: string,
  found: readonly FoundInFunnel[],
): AsyncGenerator<FunnelErasure> {
  const files = await filesOf(ports.uploads, orgId, found);
  for (const { funnelId, lookedAt, leadIds } of found) {
    const done: FunnelErasure = { funnelId, lookedAt, leftLeads: leadIds.length, ...NOTHING };
    try {
      if (leadIds.length > 0) await eraseInFunnel(ports, { orgId, funnelId, leadIds }, files, done);
    } catch (failure) {
      done.failure = failure;
    }
    yield done;
  }
}

async function eraseInFunnel(
  ports: ErasePersonPorts,
  { leadIds, ...of }: { orgId: string; funnelId: string; leadIds: readonly string[] },
  files: FilesByLead,
  done: FunnelErasure,
): Promise<void> {
  addErased(done, await erase(ports.analytics, of.funnelId, { sessionIds: [], leadIds }));
  for (const leadId of leadIds) {
    const lead = { ...of, leadId };
    const { outcome, filesRemoved, filesShared } = await eraseLead(ports, lead, { files: files.get(leadName(lead)) });
    done.leftLeads--;
    if (outcome === 'erased') done.leads++;
    done.files += filesRemoved;
    done.sharedFiles += filesShared;
  }
}

function addErased(counts: RemovedCounts, erased: Erased): void {
  counts.sessions += erased.asked;
  counts.events += erased.events + erased.setAsideEvents + erased.unkeptEvents;
  counts.facts += erased.facts + erased.freshFacts;
}
