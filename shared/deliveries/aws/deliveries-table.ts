import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { LeadKey } from '../../leads/lead.ts';
import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { EVENT_TYPES } from '../../webhooks/webhook-endpoint.ts';
import type { Lane, LaneKey } from '../lane.ts';

const PREFIX = { endpoint: 'endpoint#' };

/** The lanes of a lead have the same partition key, so that an erasure finds all of them. */
export const leadPartition = ({ funnelId, leadId }: LeadKey): string => `lead#${funnelId}#${leadId}`;
export const laneItemKey = (key: LaneKey): PrimaryKey => ({
  pk: leadPartition(key),
  sk: `${PREFIX.endpoint}${key.endpointId}`,
});
export const busyItemKey = (endpointId: string): PrimaryKey => ({ pk: `${PREFIX.endpoint}${endpointId}`, sk: 'state' });

export function parseLaneKey({ pk, sk }: Record<string, unknown>): LaneKey {
  const [, funnelId = '', leadId = ''] = String(pk).split('#');
  return { funnelId, leadId, endpointId: String(sk).slice(PREFIX.endpoint.length) };
}
export const parseBusyKey = ({ pk }: PrimaryKey): string => pk.slice(PREFIX.endpoint.length);

const LaneItem = z.object({
  orgId: z.string(),
  version: z.optional(z.string()),
  targetSeq: z.number(),
  acknowledgedSeq: z._default(z.number(), 0),
  acknowledgedVerifiedSeq: z._default(z.number(), 0),
  inFlight: z.optional(
    z.object({
      id: z.string(),
      type: z.enum(EVENT_TYPES),
      /** Compressed, because the JSON of a lead can be larger than its item, and an item has at most 400 KB. */
      body: z.pipe(
        z.instanceof(Uint8Array),
        z.transform((bytes) => gunzipSync(bytes).toString()),
      ),
      seq: z.number(),
      verifiedSeq: z.number(),
      isFollowed: z.boolean(),
      firstAttemptAt: z.string(),
      attempts: z.number(),
    }),
  ),
  nextAt: z.optional(z.string()),
  expiresAt: z.optional(z.number()),
});

export function parseLaneItem(item: Record<string, unknown>): Lane {
  const { version, inFlight, nextAt, expiresAt, ...lane } = LaneItem.parse(item);
  return { ...parseLaneKey(item), ...lane, version, inFlight, nextAt, expiresAt };
}

/** Only lanes with work have the keys of the index `lanesByEndpoint`. */
export const toLaneItem = ({ funnelId, leadId, endpointId, ...lane }: Lane): Record<string, unknown> => ({
  ...laneItemKey({ funnelId, leadId, endpointId }),
  ...lane,
  ...(lane.inFlight && { inFlight: { ...lane.inFlight, body: gzipSync(lane.inFlight.body) } }),
  ...(lane.nextAt !== undefined && { laneEndpoint: endpointId }),
});
