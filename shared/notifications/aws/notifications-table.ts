import * as z from 'zod/mini';
import type { LeadKey } from '../../leads/lead.ts';
import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { DUE_INDEX_SHARDS } from '../../platform/due-index.ts';
import type { Notice } from '../notice.ts';

/**
 * Prefix of the partition key of an organization's addresses. Public functions may change only items with this prefix.
 */
export const ORGANIZATION_PREFIX = 'org#';
const PREFIX = { address: 'address#', notice: 'notice#' };

/** Key of the item that has all addresses of an organization. */
export const addressesKey = (orgId: string): PrimaryKey => ({ pk: `${ORGANIZATION_PREFIX}${orgId}`, sk: 'addresses' });

export const addressPartition = (addressId: string): string => `${PREFIX.address}${addressId}`;
export const stateKey = (addressId: string): PrimaryKey => ({ pk: addressPartition(addressId), sk: 'state' });
export const parseStateKey = ({ pk }: PrimaryKey): string => pk.slice(PREFIX.address.length);

export const NOTICE_PREFIX = PREFIX.notice;
export const leadNoticeKey = (addressId: string, { funnelId, leadId }: LeadKey): PrimaryKey =>
  keyOf(addressId, `lead#${funnelId}#${leadId}`);

/** Notices about the same object have the same key, so that no mail contains the object twice. */
export function noticeKey(addressId: string, notice: Notice): PrimaryKey {
  if (notice.kind === 'lead') return leadNoticeKey(addressId, notice.lead);
  return keyOf(addressId, notice.kind === 'paused' ? `paused#${notice.endpoint.endpointId}` : notice.kind);
}

const keyOf = (addressId: string, object: string): PrimaryKey => ({
  pk: addressPartition(addressId),
  sk: `${PREFIX.notice}${object}`,
});

const at = z.string();
const NoticeItem = z.discriminatedUnion('kind', [
  z.object({ at, kind: z.literal('confirmation') }),
  z.object({
    at,
    kind: z.literal('lead'),
    lead: z.object({ funnelId: z.string(), leadId: z.string() }),
    createdAt: z.string(),
  }),
  z.object({
    at,
    kind: z.literal('paused'),
    endpoint: z.object({ endpointId: z.string(), url: z.string(), failingSince: z.string(), pausedAt: z.string() }),
  }),
]);
export const parseNoticeItem = (item: Record<string, unknown>): Notice => NoticeItem.parse(item);

export const shardName = (shard: number): string => `addresses#${shard}`;
/** Ids of addresses are hashes, so the addresses are spread uniformly over the shards. */
export const dueShardOf = (addressId: string): string =>
  shardName(Number.parseInt(addressId.slice(-8), 16) % DUE_INDEX_SHARDS);
