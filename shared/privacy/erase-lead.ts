import type { ErasableLead, LeadErasureRepository } from '../leads/ports.ts';
import { type EraseUploadPorts, eraseUpload, type UploadErasureOutcome } from '../uploads/erase-upload.ts';

export type EraseLeadPorts = EraseUploadPorts & { leads: LeadErasureRepository };

export type LeadToErase = { orgId: string; funnelId: string; leadId: string };

export type EraseLeadResult = {
  /** `gone`: nothing of it was stored; `not due`: it was submitted to meanwhile, and nothing was changed. */
  outcome: 'erased' | 'gone' | 'not due';
  files: ErasedFiles;
};

/** By their UUIDs: `shared` are those that another lead has too. */
export type ErasedFiles = Map<string, Exclude<UploadErasureOutcome, 'none'>>;

type Options = {
  /** Asked of the lead as it is right before its erasure begins; absent: it is erased whatever happens to it. */
  isDue?: (lead: ErasableLead) => boolean;
  /** UUIDs of files that it once had, beside those that its data names. */
  files?: readonly string[] | undefined;
};

/** A page submits a few times a minute, and no more once the lead is sealed. */
const ATTEMPTS = 20;
const FILES_AT_ONCE = 8;

/**
 * Takes a lead away with its files and all that verification keeps of it. First it is sealed: for everybody there is no
 * such lead from then on, so that nothing comes in between. Its item goes last, as it leads to the rest: whoever died
 * on the way is followed by the same call again, which the daily run of retention makes if nobody else does. What stays for a day is that its id was in use, so that a page that
 * repeats its first submit does not bring it back.
 *
 * @throws when a store fails; the same call goes on
 */
export async function eraseLead(
  ports: EraseLeadPorts,
  lead: LeadToErase,
  { isDue = () => true, files: others = [] }: Options = {},
): Promise<EraseLeadResult> {
  const files: ErasedFiles = new Map();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const read = await ports.leads.read(lead);
    if (read === undefined) return { outcome: 'gone', files };
    if (!read.isErasing) {
      if (!isDue(read)) return { outcome: 'not due', files };
      if (!(await ports.leads.markErasing(lead, read))) continue;
    }
    await eraseFiles(ports, lead, [...new Set([...read.uuids, ...others])], files);
    if (await ports.leads.replaceWithTombstone(lead)) return { outcome: 'erased', files };
  }
  throw new Error('A lead is being changed by others again and again: try again in a minute.');
}

async function eraseFiles(
  ports: EraseLeadPorts,
  { orgId, funnelId, leadId }: LeadToErase,
  uuids: readonly string[],
  files: ErasedFiles,
): Promise<void> {
  // They share one iterator: each takes the next one that nobody has taken.
  const left = uuids.values();
  const work = async () => {
    for (const uuid of left) {
      const erased = await eraseUpload(ports, { orgId, uuid }, `${funnelId}/${leadId}`);
      if (erased !== 'none') files.set(uuid, erased);
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
}
