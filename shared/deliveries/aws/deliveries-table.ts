import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { EVENT_TYPES } from '../../webhooks/webhook-endpoint.ts';
import type { Lane, LaneKey } from '../lane.ts';
import type { Subject } from '../subject.ts';

const PREFIX = { endpoint: 'endpoint#' };

/** The lanes of a subject have the same partition key, so that an erasure finds all of them. */
export function subjectPartition(subject: Subject): string {
  if (subject.kind === 'lead') return `lead#${subject.funnelId}#${subject.leadId}`;
  return `${subject.kind}#${subject.orgId}#${subject.kind === 'call' ? subject.callId : subject.domainId}`;
}

function parseSubject(partition: string): Subject {
  const [kind, first = '', id = ''] = partition.split('#');
  if (kind === 'call') return { kind, orgId: first, callId: id };
  if (kind === 'domain') return { kind, orgId: first, domainId: id };
  return { kind: 'lead', funnelId: first, leadId: id };
}

export const laneItemKey = (key: LaneKey): PrimaryKey => ({
  pk: subjectPartition(key.subject),
  sk: `${PREFIX.endpoint}${key.endpointId}`,
});
export const endpointStateKey = (endpointId: string): PrimaryKey => ({
  pk: `${PREFIX.endpoint}${endpointId}`,
  sk: 'state',
});

export const parseLaneKey = ({ pk, sk }: Record<string, unknown>): LaneKey => ({
  subject: parseSubject(String(pk)),
  endpointId: String(sk).slice(PREFIX.endpoint.length),
});
export const parseEndpointStateKey = ({ pk }: PrimaryKey): string => pk.slice(PREFIX.endpoint.length);

const LaneItem = z.object({
  orgId: z.string(),
  version: z.optional(z.string()),
  targetSeq: z.number(),
  acknowledgedSeq: z._default(z.number(), 0),
  acknowledgedVerifiedSeq: z._default(z.number(), 0),
  acknowledgedCompletedAt: z.optional(z.string()),
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
      completedAt: z.optional(z.string()),
      isFollowed: z.boolean(),
      redeliveryId: z.optional(z.string()),
      firstAttemptAt: z.string(),
      attempts: z.number(),
    }),
  ),
  redeliveries: z.optional(z.set(z.enum(EVENT_TYPES))),
  redeliveryId: z.optional(z.string()),
  nextAt: z.optional(z.string()),
});

export function parseLaneItem(item: Record<string, unknown>): Lane {
  const { version, inFlight, redeliveries = [], redeliveryId, nextAt, ...lane } = LaneItem.parse(item);
  const optional = { version, inFlight, redeliveryId, nextAt };
  return { ...parseLaneKey(item), ...lane, redeliveries: [...redeliveries], ...optional };
}

/**
 * How long a lane without work is kept. If a lead changed after its lane expired, the lead would be announced as new.
 * Therefore, this time is longer than an update token can be valid.
 */
const IDLE_LANE_TTL_SECONDS = 400 * 86_400;

/** A lane with work has the key attributes of the index `lanesByEndpoint`. A lane without work expires. */
export const toLaneItem = (
  { subject, endpointId, redeliveries, ...lane }: Lane,
  nowMs: number,
): Record<string, unknown> => ({
  ...laneItemKey({ subject, endpointId }),
  ...lane,
  // DynamoDB has no empty sets.
  ...(redeliveries.length > 0 && { redeliveries: new Set(redeliveries) }),
  ...(lane.inFlight && { inFlight: { ...lane.inFlight, body: gzipSync(lane.inFlight.body) } }),
  ...(lane.nextAt === undefined
    ? { expiresAt: Math.ceil(nowMs / 1_000) + IDLE_LANE_TTL_SECONDS }
    : { laneEndpoint: endpointId }),
});
