import {
  type ErasedFiles,
  type EraseLeadPorts,
  eraseLead,
  type LeadToErase,
} from '../../../shared/privacy/erase-lead.ts';
import { planUploadErasure } from '../../../shared/uploads/erase-upload.ts';
import { formatLeadReference } from '../../../shared/uploads/lead-reference.ts';
import type { UploadRepository } from '../../../shared/uploads/ports.ts';
import { type EraseSessionsPorts, type ErasureCounts, eraseSessions } from '../analytics/erasure/erase-sessions.ts';
import type { PersonMatches } from './find-person.ts';
import { type FilesByLead, listFilesByLead, readUploads } from './lead-files.ts';

export type ErasePersonPorts = EraseLeadPorts & {
  uploads: Pick<UploadRepository, 'listByLeads'>;
  analytics: EraseSessionsPorts;
};

export type RemovedCounts = {
  leads: number;
  files: number;
  /** Files that stay because another lead refers to them. Their reference to the erased lead is removed. */
  sharedFiles: number;
  sessions: number;
  /** Raw events, events in dead letters, and events in records that Firehose could not store. */
  events: number;
  /** Facts. Also counts facts of sessions whose erasure was requested earlier, but was not completed. */
  facts: number;
};

export type FunnelErasure = RemovedCounts & {
  funnelId: string;
  leadsSearched: number;
  /** Number of leads that were not erased completely, because of the failure. */
  leadsLeft: number;
  failure?: unknown;
};

export const NOTHING: RemovedCounts = { leads: 0, files: 0, sharedFiles: 0, sessions: 0, events: 0, facts: 0 };

/** Counts what `erasePersonData` would remove. Changes nothing. */
export async function planPersonErasure(
  ports: ErasePersonPorts,
  orgId: string,
  found: readonly PersonMatches[],
): Promise<FunnelErasure[]> {
  const files = await listFilesByLead(ports.uploads, orgId, found);
  const plans: FunnelErasure[] = [];
  for (const { funnelId, leadsSearched, leadIds, contact } of found) {
    const plan: FunnelErasure = { funnelId, leadsSearched, leadsLeft: 0, ...NOTHING, leads: leadIds.length };
    plans.push(plan);
    if (leadIds.length === 0 && contact === undefined) continue;
    addErased(
      plan,
      await eraseSessions(ports.analytics, funnelId, { sessionIds: [], leadIds, contact }, { dryRun: true }),
    );
    const leads = leadIds.map((leadId) => ({ orgId, funnelId, leadId }));
    Object.assign(plan, countsOf(await plannedFiles(ports, leads, files)));
  }
  return plans;
}

/** Returns what an erasure of these leads would do to their files. A file is erased if only these leads refer to it. */
async function plannedFiles(
  { leads: { read }, uploads }: ErasePersonPorts,
  leads: readonly LeadToErase[],
  files: FilesByLead,
): Promise<ErasedFiles> {
  const names = new Set(leads.map(formatLeadReference));
  const planned: ErasedFiles = new Map();
  for (const lead of leads) {
    const name = formatLeadReference(lead);
    for await (const upload of readUploads(uploads, lead.orgId, (await read(lead))?.uuids ?? [], files.get(name))) {
      if (planUploadErasure(upload, name) === 'none') continue;
      planned.set(upload.uuid, upload.leads.every((one) => names.has(one)) ? 'erased' : 'shared');
    }
  }
  return planned;
}

/**
 * Erases the found data of a person, funnel by funnel. In each funnel, the sessions are erased before the leads,
 * because the leads identify the sessions. After a crash, a search for the same person therefore finds all remaining
 * data. An error in one funnel does not prevent the erasure in the other funnels.
 */
export async function* erasePersonData(
  ports: ErasePersonPorts,
  orgId: string,
  found: readonly PersonMatches[],
): AsyncGenerator<FunnelErasure> {
  const files = await listFilesByLead(ports.uploads, orgId, found);
  for (const { funnelId, leadsSearched, leadIds, contact } of found) {
    const done: FunnelErasure = { funnelId, leadsSearched, leadsLeft: leadIds.length, ...NOTHING };
    try {
      if (leadIds.length > 0 || contact !== undefined)
        await eraseInFunnel(ports, { orgId, funnelId, leadIds, contact }, files, done);
    } catch (failure) {
      done.failure = failure;
    }
    yield done;
  }
}

async function eraseInFunnel(
  ports: ErasePersonPorts,
  { leadIds, contact, ...of }: { orgId: string } & Pick<PersonMatches, 'funnelId' | 'leadIds' | 'contact'>,
  files: FilesByLead,
  done: FunnelErasure,
): Promise<void> {
  addErased(done, await eraseSessions(ports.analytics, of.funnelId, { sessionIds: [], leadIds, contact }));
  const erased: ErasedFiles = new Map();
  for (const leadId of leadIds) {
    const lead = { ...of, leadId };
    const { outcome, files: gone } = await eraseLead(ports, lead, { files: files.get(formatLeadReference(lead)) });
    done.leadsLeft--;
    if (outcome === 'erased') done.leads++;
    // A file of several leads has an outcome for each lead. The last outcome is the final one.
    for (const [uuid, fileOutcome] of gone) erased.set(uuid, fileOutcome);
    Object.assign(done, countsOf(erased));
  }
}

function countsOf(files: ErasedFiles): Pick<RemovedCounts, 'files' | 'sharedFiles'> {
  const shared = [...files.values()].filter((fileOutcome) => fileOutcome === 'shared').length;
  return { files: files.size - shared, sharedFiles: shared };
}

function addErased(counts: RemovedCounts, erased: ErasureCounts): void {
  counts.sessions += erased.requestedSessions;
  counts.events += erased.events + erased.deadLetterEvents + erased.deliveryErrorEvents;
  counts.facts += erased.facts + erased.freshFacts;
}
