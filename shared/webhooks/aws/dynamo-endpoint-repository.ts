import { randomUUID } from 'node:crypto';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable, UnavailableError } from '../../platform/unavailable.ts';
import type { EndpointRepository } from '../ports.ts';
import { ENDPOINTS_MAX, type WebhookEndpoint } from '../webhook-endpoint.ts';
import { type EndpointsItem, endpointsKey, parseEndpoints, readEndpoints } from './endpoint-item.ts';

/**
 * Maximum number of attempts to add an endpoint. If another request concurrently adds the organization's first endpoint
 * or removes an endpoint, an attempt fails.
 */
const ADD_ATTEMPTS = 8;

type Write = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/**
 * Each change is one conditional write of the organization's item. If the response to a successful write is lost, the
 * SDK repeats the write. The condition of the repeated write can fail, except in `update`. Therefore, the other methods
 * read the item after a failed condition.
 */
export function createDynamoEndpointRepository(): EndpointRepository {
  return {
    add: (orgId, endpoint) => changing(() => add(orgId, endpoint)),

    update: ({ orgId, endpointId }, update, url) =>
      changing(async () => {
        const changes = Object.entries(update).filter(([, value]) => value !== undefined);
        const written = await write(orgId, {
          UpdateExpression: `SET ${changes.map(([name]) => `endpoints.#id.#${name} = :${name}`).join(', ')}`,
          ConditionExpression:
            url === undefined ? 'attribute_exists(endpoints.#id)' : 'endpoints.#id.#seenUrl = :seenUrl',
          ExpressionAttributeNames: {
            '#id': endpointId,
            ...Object.fromEntries(changes.map(([name]) => [`#${name}`, name])),
            ...(url !== undefined && { '#seenUrl': 'url' }),
          },
          ExpressionAttributeValues: {
            ...Object.fromEntries(changes.map(([name, value]) => [`:${name}`, value])),
            ...(url !== undefined && { ':seenUrl': url }),
          },
        });
        return written?.endpoints[endpointId];
      }),

    rotateSecret: ({ orgId, endpointId }, { seen, next, rotatedAt }) =>
      changing(async () => {
        const written = await write(orgId, {
          UpdateExpression:
            'SET endpoints.#id.secretGeneration = :next, endpoints.#id.previousSecretGeneration = :seen, ' +
            'endpoints.#id.secretRotatedAt = :at, endpoints.#id.updatedAt = :at',
          ConditionExpression: 'endpoints.#id.secretGeneration = :seen',
          ExpressionAttributeNames: { '#id': endpointId },
          ExpressionAttributeValues: { ':next': next, ':seen': seen, ':at': rotatedAt },
        });
        return (written ?? (await readEndpoints(orgId)))?.endpoints[endpointId];
      }),

    remove: ({ orgId, endpointId }) =>
      changing(async () => {
        const removedBy = randomUUID();
        const written = await write(orgId, {
          UpdateExpression: 'REMOVE endpoints.#id SET removedBy = :by',
          ConditionExpression: 'attribute_exists(endpoints.#id)',
          ExpressionAttributeNames: { '#id': endpointId },
          ExpressionAttributeValues: { ':by': removedBy },
        });
        return (written ?? (await readEndpoints(orgId)))?.removedBy === removedBy;
      }),
  };
}

async function add(orgId: string, endpoint: WebhookEndpoint): Promise<'added' | 'full'> {
  for (let attempt = 0; attempt < ADD_ATTEMPTS; attempt++) {
    const toExisting = await write(orgId, {
      UpdateExpression: 'SET endpoints.#id = :endpoint',
      ConditionExpression: 'attribute_exists(pk) AND size(endpoints) < :max',
      ExpressionAttributeNames: { '#id': endpoint.id },
      ExpressionAttributeValues: { ':endpoint': endpoint, ':max': ENDPOINTS_MAX },
    });
    if (toExisting !== undefined) return 'added';
    const stored = await readEndpoints(orgId);
    if (stored === undefined) {
      const asFirst = await write(orgId, {
        UpdateExpression: 'SET endpoints = :endpoints',
        ConditionExpression: 'attribute_not_exists(pk)',
        ExpressionAttributeValues: { ':endpoints': { [endpoint.id]: endpoint } },
      });
      if (asFirst !== undefined) return 'added';
    } else {
      if (stored.endpoints[endpoint.id] !== undefined) return 'added';
      if (Object.keys(stored.endpoints).length >= ENDPOINTS_MAX) return 'full';
    }
    // Since the failed write, another request has created the item or removed an endpoint. The next attempt can
    // succeed.
  }
  throw new UnavailableError('Too many requests are changing the webhook endpoints. Try again in a second.', {
    retryAfterSeconds: 1,
    cause: undefined,
  });
}

/** Returns the item after the write, or undefined if the condition failed. */
async function write(orgId: string, input: Write): Promise<EndpointsItem | undefined> {
  const update = new UpdateCommand({
    TableName: requireSetting('webhooksTable'),
    Key: endpointsKey(orgId),
    ReturnValues: 'ALL_NEW',
    ...input,
  });
  return parseEndpoints((await undefinedIfConditionFailed(dynamoDocumentClient().send(update)))?.Attributes);
}

const changing = <T>(work: () => Promise<T>): Promise<T> =>
  rethrowAsUnavailable('The webhook endpoint cannot be changed. Try again shortly.', work);
