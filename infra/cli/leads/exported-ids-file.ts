import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportedIdSet } from './lead-batches.ts';

const ID_BYTES = 16;
const BLOCK_BYTES = 65_536 * ID_BYTES;
const OWNER_ONLY = 0o600;

/**
 * Stores the ids of exported leads in a temporary file, 16 bytes each, so that an export of any size takes the same
 * memory. The file is unlinked immediately, so that the operating system deletes it even if the process crashes.
 */
export async function createExportedIdsFile(): Promise<ExportedIdSet & { close(): Promise<void> }> {
  const path = join(tmpdir(), `tributary-export-${randomUUID()}`);
  const file = await open(path, 'wx+', OWNER_ONLY);
  await rm(path, { force: true });
  return {
    add: async (leadIds) => {
      if (leadIds.length > 0) await file.appendFile(Buffer.concat(leadIds.map(bytesOf)));
    },
    removeFrom: async (leadIds) => {
      if (leadIds.size > 0) await removeKnown(file, leadIds);
    },
    close: () => file.close(),
  };
}

const bytesOf = (leadId: string): Buffer => Buffer.from(leadId.replaceAll('-', ''), 'hex');

async function removeKnown(file: FileHandle, leadIds: Set<string>): Promise<void> {
  const byHex = new Map(Array.from(leadIds, (leadId) => [leadId.replaceAll('-', ''), leadId]));
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, position);
    if (bytesRead === 0) return;
    for (let at = 0; at < bytesRead; at += ID_BYTES) {
      const leadId = byHex.get(block.toString('hex', at, at + ID_BYTES));
      if (leadId !== undefined) leadIds.delete(leadId);
    }
    position += bytesRead;
  }
}
