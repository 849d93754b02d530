import type { LeadKey } from '../leads/lead.ts';
import type { ErasableUploads } from '../uploads/erasable-uploads.ts';
import type { Upload } from '../uploads/upload.ts';

/** By a lead's name: UUIDs of the files that were kept for it, also those that its data names no more. */
export type FilesByLead = ReadonlyMap<string, readonly string[]>;

/** A lead as the records of uploads name it. */
export const formatLeadReference = ({ funnelId, leadId }: LeadKey): string => `${funnelId}/${leadId}`;

/** Goes through all of the organization's uploads once, if there is a lead to do it for. */
export async function listFilesByLead(
  uploads: Pick<ErasableUploads, 'listByLeads'>,
  orgId: string,
  found: readonly { funnelId: string; leadIds: readonly string[] }[],
): Promise<FilesByLead> {
  const names = new Set(
    found.flatMap(({ funnelId, leadIds }) => leadIds.map((leadId) => formatLeadReference({ funnelId, leadId }))),
  );
  const files = new Map<string, string[]>();
  if (names.size === 0) return files;
  for await (const { uuid, leads } of uploads.listByLeads(orgId, names))
    for (const name of leads) if (names.has(name)) files.set(name, [...(files.get(name) ?? []), uuid]);
  return files;
}

const READ_AT_ONCE = 8;

/** The uploads among these UUIDs, each once. */
export async function* readUploads(
  { find }: Pick<ErasableUploads, 'find'>,
  orgId: string,
  named: readonly string[],
  kept: readonly string[] = [],
): AsyncGenerator<Upload> {
  const uuids = [...new Set([...named, ...kept])];
  for (let at = 0; at < uuids.length; at += READ_AT_ONCE) {
    const read = await Promise.all(uuids.slice(at, at + READ_AT_ONCE).map((uuid) => find(orgId, uuid)));
    for (const upload of read) if (upload !== undefined) yield upload;
  }
}
