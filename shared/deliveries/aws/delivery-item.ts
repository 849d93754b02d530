import * as z from 'zod/mini';
import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { ATTEMPT_FAILURES } from '../../webhooks/attempt.ts';
import { EVENT_TYPES } from '../../webhooks/webhook-endpoint.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryKey } from '../delivery.ts';
import { parseLaneKey } from './deliveries-table.ts';

const HISTORY_PREFIX = 'history#';
const ATTEMPT_PREFIX = 'attempt#';
/**
 * Limits the size of the item, because crashes can cause thousands of attempts. When an item has this number of
 * attempts, each further attempt replaces the last one.
 */
const ATTEMPTS_STORED_MAX = 40;

export const historyPartition = (endpointId: string): string => `${HISTORY_PREFIX}${endpointId}`;
/** Sorts the history of an endpoint by the times of the first attempts. */
export const deliveryItemKey = ({ endpointId, messageId, firstAttemptAt }: DeliveryKey): PrimaryKey => ({
  pk: historyPartition(endpointId),
  sk: `${firstAttemptAt}#${messageId}`,
});

/**
 * Each attempt has its own attribute, so that one write stores the attempt, and repeating the write changes nothing.
 */
export const attemptAttribute = (number: number): string => `${ATTEMPT_PREFIX}${Math.min(number, ATTEMPTS_STORED_MAX)}`;

const AttemptItem = z.object({
  number: z.number(),
  startedAt: z.string(),
  durationMs: z.number(),
  status: z.nullable(z.number()),
  problem: z.nullable(z.enum(ATTEMPT_FAILURES)),
});

const DeliveryItem = z.object({
  orgId: z.string(),
  lane: z.object({ pk: z.string(), sk: z.string() }),
  messageId: z.string(),
  firstAttemptAt: z.string(),
  type: z.enum(EVENT_TYPES),
  seq: z.number(),
  status: z.enum(DELIVERY_STATUSES),
});

export function parseDeliveryItem(item: Record<string, unknown>): Delivery {
  const { lane, ...delivery } = DeliveryItem.parse(item);
  const attempts = Object.entries(item)
    .filter(([name]) => name.startsWith(ATTEMPT_PREFIX))
    .map(([, attempt]) => AttemptItem.parse(attempt))
    .sort((one, other) => one.number - other.number);
  return { ...parseLaneKey(lane), ...delivery, attempts };
}
