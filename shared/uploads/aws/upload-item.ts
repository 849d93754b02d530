import { DUE_INDEX_SHARDS, formatDueAt } from '../../platform/due-index.ts';
import type { Upload } from '../upload.ts';

/** A file's shard in the index of what is due. */
export const uploadShard = (uuid: string): string =>
  shardName(Number.parseInt(uuid.slice(0, 8), 16) % DUE_INDEX_SHARDS);
export const shardName = (shard: number): string => `upload#${shard}`;

export type Key = { pk: string; sk: string };

/** Where the index has files with attempts, so that they come after all others. */
export const RETRY_SHARD = 'upload#retry';

const PREFIX = { org: 'org#', upload: 'upload#' };

/** Whose record a key is. */
export const parseUploadKey = ({ pk, sk }: Key): { orgId: string; uuid: string } => ({
  orgId: pk.slice(PREFIX.org.length),
  uuid: sk.slice(PREFIX.upload.length),
});

export const uploadKey = ({ orgId, uuid }: { orgId: string; uuid: string }): Key => ({
  pk: `${PREFIX.org}${orgId}`,
  sk: `${PREFIX.upload}${uuid}`,
});

/** The record as the uploads table holds it; the index finds it by `dueShard` and `dueAt`. */
export function toUploadItem({ leads, dueAtMs, ...upload }: Upload): Record<string, unknown> {
  return {
    ...uploadKey(upload),
    ...upload,
    dueShard: uploadShard(upload.uuid),
    dueAt: formatDueAt(dueAtMs),
    ...(leads.length > 0 && { leads: new Set(leads) }),
  };
}

export function parseUploadItem(item: Record<string, unknown>): Upload {
  const { pk: _pk, sk: _sk, dueShard: _shard, dueAt: due, lookAt: _look, leads, ...upload } = item;
  return {
    ...(upload as Omit<Upload, 'dueAtMs' | 'leads'>),
    dueAtMs: Date.parse(String(due)),
    leads: leads instanceof Set ? [...leads].map(String) : [],
  };
}
