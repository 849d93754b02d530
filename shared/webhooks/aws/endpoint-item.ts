import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { EVENT_TYPES, type WebhookEndpoint } from '../webhook-endpoint.ts';

/** Key of the item that has all endpoints of an organization, so that one condition can check their number. */
export const endpointsKey = (orgId: string): PrimaryKey => ({ pk: `org#${orgId}`, sk: 'endpoints' });

const StoredEndpoint = z.object({
  id: z.string(),
  url: z.string(),
  eventTypes: z.array(z.enum(EVENT_TYPES)),
  description: z.nullable(z.string()),
  isEnabled: z.boolean(),
  pausedAt: z._default(z.nullable(z.string()), null),
  failingSince: z._default(z.nullable(z.string()), null),
  secretGeneration: z.string(),
  previousSecretGeneration: z.nullable(z.string()),
  secretRotatedAt: z.nullable(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const EndpointsItem = z.object({
  endpoints: z.record(z.string(), StoredEndpoint),
  /** Random id of the last removal. If the response to a write was lost, it shows whether the write was stored. */
  removedBy: z.optional(z.string()),
});
export type EndpointsItem = z.output<typeof EndpointsItem>;

export const parseEndpoints = (item: Record<string, unknown> | undefined): EndpointsItem | undefined =>
  item && EndpointsItem.parse(item);

/** Reads the endpoints of an organization, strongly consistent. Returns undefined if the organization never had one. */
export async function readEndpoints(orgId: string): Promise<EndpointsItem | undefined> {
  const get = new GetCommand({
    TableName: requireSetting('webhooksTable'),
    Key: endpointsKey(orgId),
    ConsistentRead: true,
  });
  return parseEndpoints((await dynamoDocumentClient().send(get)).Item);
}

/** Ids of endpoints are UUIDs of version 7, so their order is the order of creation. */
export const sortedEndpoints = ({ endpoints }: EndpointsItem): WebhookEndpoint[] =>
  Object.values(endpoints).sort((one, other) => (one.id < other.id ? -1 : 1));
