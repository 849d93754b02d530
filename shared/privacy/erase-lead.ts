import type { LeadKey } from '../leads/lead.ts';
import type { ErasableLead, LeadErasureRepository } from '../leads/ports.ts';
import { type EraseUploadPorts, eraseUpload, type UploadErasureOutcome } from '../uploads/erase-upload.ts';

export type EraseLeadPorts = EraseUploadPorts & {
  leads: LeadErasureRepository;
  deliveries: {
    /** Removes the messages about a lead. The lead must be marked as being erased, or not exist. Idempotent. */
    erase(lead: LeadKey): Promise<void>;
  };
  notifications: {
    /** Removes the notices about a lead. Idempotent. */
    erase(lead: LeadToErase): Promise<void>;
  };
};

export type LeadToErase = { orgId: string; funnelId: string; leadId: string };

export type EraseLeadResult = {
  /**
   * `not_found`: the lead does not exist, or another process has erased it. `not_due`: `isDue` returned false, and
   * nothing was changed.
   */
  outcome: 'erased' | 'not_found' | 'not_due';
  files: ErasedFiles;
};

/** Outcome by file UUID. `shared`: the file stays, because another lead also refers to it. */
export type ErasedFiles = Map<string, Exclude<UploadErasureOutcome, 'none'>>;

type Options = {
  /** Whether to begin the erasure. If absent, it always begins. An erasure that has begun continues unchecked. */
  isDue?: (lead: ErasableLead) => boolean;
  /** UUIDs of additional files to erase. The lead's data need not contain these UUIDs. */
  files?: readonly string[] | undefined;
};

/**
 * If the visitor submits the lead between the read and the mark, the attempt fails. 20 attempts are enough, because a
 * lead is submitted only a few times per minute.
 */
const ATTEMPTS = 20;
const CONCURRENT_FILES = 8;

/**
 * Erases a lead with its files, messages, notices and verification state (ADR 0019). Marks the lead first, so that
 * every read and submit treats it as deleted. Replaces the lead's item with a tombstone last. Until then, the daily
 * retention run or a second `eraseLead` can find the item and continue an interrupted erasure.
 *
 * @throws Error when a store fails, or the lead or a file changes during every attempt
 */
export async function eraseLead(
  ports: EraseLeadPorts,
  lead: LeadToErase,
  { isDue = () => true, files: others = [] }: Options = {},
): Promise<EraseLeadResult> {
  const files: ErasedFiles = new Map();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const read = await ports.leads.read(lead);
    if (read === undefined) {
      // Earlier releases let DynamoDB delete the items of leads after the retention period. Messages about such a lead
      // can still exist.
      await eraseMessages(ports, lead);
      return { outcome: 'not_found', files };
    }
    if (!read.isErasing) {
      if (!isDue(read)) return { outcome: 'not_due', files };
      if (!(await ports.leads.markErasing(lead, read))) continue;
    }
    await eraseMessages(ports, lead);
    await eraseFiles(ports, lead, [...new Set([...read.uuids, ...others])], files);
    if (await ports.leads.replaceWithTombstone(lead, read)) return { outcome: 'erased', files };
  }
  throw new Error(
    `Lead ${lead.leadId} of funnel ${lead.funnelId} changed during every attempt to erase it. Try again in a minute.`,
  );
}

async function eraseMessages({ deliveries, notifications }: EraseLeadPorts, lead: LeadToErase): Promise<void> {
  await deliveries.erase(lead);
  await notifications.erase(lead);
}

async function eraseFiles(
  ports: EraseLeadPorts,
  { orgId, funnelId, leadId }: LeadToErase,
  uuids: readonly string[],
  files: ErasedFiles,
): Promise<void> {
  // The workers share one iterator, so that each file is processed by only one worker.
  const remaining = uuids.values();
  const work = async () => {
    for (const uuid of remaining) {
      const erased = await eraseUpload(ports, { orgId, uuid }, `${funnelId}/${leadId}`);
      if (erased !== 'none') files.set(uuid, erased);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_FILES }, work));
}
