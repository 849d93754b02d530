import { DUE_INDEX_SHARDS, formatDueAt } from '../../platform/due-index.ts';
import type { Upload, UploadIds, UploadState } from '../upload.ts';

export type UploadKey = { pk: string; sk: string };

const PREFIX = { org: 'org#', upload: 'upload#' };

export const uploadKey = ({ orgId, uuid }: UploadIds): UploadKey => ({
  pk: `${PREFIX.org}${orgId}`,
  sk: `${PREFIX.upload}${uuid}`,
});

export const parseUploadKey = ({ pk, sk }: UploadKey): UploadIds => ({
  orgId: pk.slice(PREFIX.org.length),
  uuid: sk.slice(PREFIX.upload.length),
});

export const uploadDueShardOf = (uuid: string): string =>
  uploadDueShard(Number.parseInt(uuid.slice(0, 8), 16) % DUE_INDEX_SHARDS);
export const uploadDueShard = (shard: number): string => `upload#${shard}`;

/**
 * The shard of uploads whose inspection is retried. The separate shard makes it possible to process these uploads last.
 */
export const RETRY_SHARD = 'upload#retry';

/**
 * States as the table stores them. Some words differ from `UploadState`, because items were stored with these older
 * words.
 */
export const STORED_STATES = {
  pending: 'unverified',
  stored: 'stored',
  attached: 'kept',
  rejected: 'refused',
  deleting: 'removing',
} as const satisfies Record<UploadState, string>;

const STATES = new Map<unknown, UploadState>(
  Object.entries(STORED_STATES).map(([state, stored]) => [stored, state as UploadState]),
);

export function toUploadItem(upload: Upload): Record<string, unknown> {
  const { leads, dueAtMs, state, isInspected, deleteWhenUnreferenced, ...attributes } = upload;
  return {
    ...uploadKey(upload),
    ...attributes,
    state: STORED_STATES[state],
    inspected: isInspected,
    ...(deleteWhenUnreferenced && { erased: true }),
    dueShard: uploadDueShardOf(upload.uuid),
    dueAt: formatDueAt(dueAtMs),
    ...(leads.length > 0 && { leads: new Set(leads) }),
  };
}

/** @throws Error for a state that the code does not know */
export function parseUploadItem(item: Record<string, unknown>): Upload {
  const { pk, sk, dueShard: _dueShard, lookAt: _lookAt, ...attributes } = item;
  const { state: storedState, inspected, erased, dueAt, leads, ...rest } = attributes;
  const state = STATES.get(storedState);
  if (state === undefined) {
    const { orgId, uuid } = parseUploadKey({ pk: String(pk), sk: String(sk) });
    throw new Error(`Upload ${uuid} of organization ${orgId} has the unknown state ${String(storedState)}.`);
  }
  return {
    ...(rest as Omit<Upload, 'state' | 'isInspected' | 'deleteWhenUnreferenced' | 'dueAtMs' | 'leads'>),
    state,
    isInspected: inspected === true,
    ...(erased === true && { deleteWhenUnreferenced: true }),
    dueAtMs: Date.parse(String(dueAt)),
    leads: leads instanceof Set ? [...leads].map(String) : [],
  };
}
