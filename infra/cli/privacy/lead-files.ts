import { formatLeadReference } from '../../../shared/uploads/lead-reference.ts';
import type { UploadRepository } from '../../../shared/uploads/ports.ts';
import type { Upload } from '../../../shared/uploads/upload.ts';

/**
 * Maps the reference of each lead (`formatLeadReference`) to the UUIDs of its files. Includes files that are no longer
 * in the lead's data.
 */
export type FilesByLead = ReadonlyMap<string, readonly string[]>;

/** Finds the files of the given leads. Reads all uploads of the organization once, or nothing if no lead is given. */
export async function listFilesByLead(
  uploads: Pick<UploadRepository, 'listByLeads'>,
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

const CONCURRENT_READS = 8;

/** Yields the uploads with these UUIDs, each once. UUIDs without an upload are skipped. */
export async function* readUploads(
  { find }: Pick<UploadRepository, 'find'>,
  orgId: string,
  mentioned: readonly string[],
  listed: readonly string[] = [],
): AsyncGenerator<Upload> {
  const uuids = [...new Set([...mentioned, ...listed])];
  for (let at = 0; at < uuids.length; at += CONCURRENT_READS) {
    const read = await Promise.all(uuids.slice(at, at + CONCURRENT_READS).map((uuid) => find(orgId, uuid)));
    for (const upload of read) if (upload !== undefined) yield upload;
  }
}
