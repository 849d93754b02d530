import { randomUUID } from 'node:crypto';
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  paginateQuery,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { type Lane, type LaneKey, PARKED_AT, toIsoString } from '../lane.ts';
import type { LaneRepository } from '../ports.ts';
import { laneItemKey, parseLaneItem, parseLaneKey, toLaneItem } from './deliveries-table.ts';
import { createDynamoLaneRedeliverer } from './dynamo-lane-redeliverer.ts';

const PAGE_SIZE = 100;
/** The first time after `PARKED_AT`. Queries that start at this time exclude parked lanes. */
const AFTER_PARKED = toIsoString(1);

/** All methods except `listDue` throw UnavailableError while the table is unavailable. */
export function createDynamoLaneRepository(clock: Clock = systemClock): LaneRepository {
  return {
    raise: (key, { orgId, seq, atMs }) =>
      orUnavailable(async () => {
        const update = new UpdateCommand({
          ...tableAndKey(key),
          UpdateExpression:
            'SET orgId = :org, targetSeq = :seq, laneEndpoint = :endpoint, nextAt = if_not_exists(nextAt, :now) REMOVE expiresAt',
          ConditionExpression: 'attribute_not_exists(targetSeq) OR targetSeq < :seq',
          ExpressionAttributeValues: {
            ':org': orgId,
            ':seq': seq,
            ':endpoint': key.endpointId,
            ':now': toIsoString(atMs),
          },
        });
        await undefinedIfConditionFailed(dynamoDocumentClient().send(update));
      }),
    find: (key) => orUnavailable(() => find(key)),
    replace: (seen, next) =>
      orUnavailable(async () => {
        const written = { ...next, version: randomUUID() };
        const put = new PutCommand({
          TableName: requireSetting('deliveriesTable'),
          Item: toLaneItem(written, clock.now()),
          ...unchanged(seen),
        });
        if ((await undefinedIfConditionFailed(dynamoDocumentClient().send(put))) !== undefined) return written;
        // The SDK repeats a write whose response was lost. The repetition fails, although the first write succeeded
        // (ADR 0004).
        const stored = await find(seen);
        return stored?.version === written.version ? stored : undefined;
      }),
    postpone: (key, untilMs) =>
      orUnavailable(async () => {
        const update = new UpdateCommand({
          ...tableAndKey(key),
          UpdateExpression: 'SET nextAt = :until',
          ConditionExpression: 'attribute_exists(nextAt)',
          ExpressionAttributeValues: { ':until': toIsoString(untilMs) },
        });
        await undefinedIfConditionFailed(dynamoDocumentClient().send(update));
      }),
    remove: (seen) =>
      orUnavailable(async () => {
        const removal = new DeleteCommand({ ...tableAndKey(seen), ...unchanged(seen) });
        await undefinedIfConditionFailed(dynamoDocumentClient().send(removal));
      }),
    redeliver: createDynamoLaneRedeliverer().redeliver,
    listDue: async function* (endpointId, nowMs, { withParked }) {
      const query = {
        ...lanesOf(),
        KeyConditionExpression: 'laneEndpoint = :endpoint AND nextAt BETWEEN :first AND :now',
        ExpressionAttributeValues: {
          ':endpoint': endpointId,
          ':first': withParked ? PARKED_AT : AFTER_PARKED,
          ':now': toIsoString(nowMs),
        },
      };
      for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient(), pageSize: PAGE_SIZE }, query))
        yield* Items.map(parseLaneKey);
    },
    findNextAt: (endpointId) =>
      orUnavailable(async () => {
        const query = new QueryCommand({
          ...lanesOf(),
          KeyConditionExpression: 'laneEndpoint = :endpoint AND nextAt >= :first',
          ExpressionAttributeValues: { ':endpoint': endpointId, ':first': AFTER_PARKED },
          Limit: 1,
        });
        const { Items = [] } = await dynamoDocumentClient().send(query);
        return Items[0] && String(Items[0].nextAt);
      }),
  };
}

const tableAndKey = (key: LaneKey) => ({ TableName: requireSetting('deliveriesTable'), Key: laneItemKey(key) });

const lanesOf = () => ({
  TableName: requireSetting('deliveriesTable'),
  IndexName: 'lanesByEndpoint',
});

/**
 * `raise` only increases `targetSeq`, and `redeliver` only adds to `redeliveries`. Together, `targetSeq`, the number of
 * redeliveries and the version therefore identify a state of a lane. Only `postpone` changes a lane without changing
 * one of these three values.
 */
const unchanged = ({ version, targetSeq, redeliveries: { length } }: Lane) => ({
  ConditionExpression: [
    'targetSeq = :target',
    version === undefined ? 'attribute_not_exists(version)' : 'version = :seen',
    length === 0 ? 'attribute_not_exists(redeliveries)' : 'size(redeliveries) = :length',
  ].join(' AND '),
  ExpressionAttributeValues: {
    ':target': targetSeq,
    ...(version !== undefined && { ':seen': version }),
    ...(length > 0 && { ':length': length }),
  },
});

async function find(key: LaneKey): Promise<Lane | undefined> {
  const { Item } = await dynamoDocumentClient().send(new GetCommand({ ...tableAndKey(key), ConsistentRead: true }));
  return Item && parseLaneItem(Item);
}

const orUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  rethrowAsUnavailable('The table of deliveries is not available. Try again shortly.', work);
