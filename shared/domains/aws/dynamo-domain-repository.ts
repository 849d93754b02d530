import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { CustomDomain } from '../domain.ts';
import type { DomainChanges, DomainRepository } from '../ports.ts';
import {
  ACTIVATED_SHARD,
  formatDueShard,
  parseDomainItem,
  parseDomainKey,
  toDomainAttributes,
  toDueAttributes,
} from './domain-item.ts';
import { domainKey, removedDomainKey } from './keys.ts';

const NOT_READABLE = 'The domain cannot be read. Try again shortly.';
const NOT_WRITABLE = 'The domain cannot be changed. Try again shortly.';

const UNCHANGED = 'revision = :seen';

export function createDynamoDomainRepository(): DomainRepository {
  return {
    find: async (ids) => {
      const get = new GetCommand({
        TableName: requireSetting('directoryTable'),
        Key: domainKey(ids.orgId, ids.domainId),
        ConsistentRead: true,
      });
      const { Item } = await rethrowAsUnavailable(NOT_READABLE, () => dynamoDocumentClient().send(get));
      return Item && parseDomainItem(Item);
    },
    listDue: async (nowMs, most) =>
      (await rethrowAsUnavailable(NOT_READABLE, () => queryDueKeys('directoryTable', formatDueShard, nowMs, most))).map(
        parseDomainKey,
      ),
    update: async (seen, changes) => {
      const response = await written(() => dynamoDocumentClient().send(changeOf(seen, changes)));
      return response && { ...seen, ...changes, revision: seen.revision + 1 };
    },
    postpone: async (ids, dueAtMs) => {
      const update = new UpdateCommand({
        TableName: requireSetting('directoryTable'),
        Key: domainKey(ids.orgId, ids.domainId),
        UpdateExpression: 'SET dueAt = :due',
        ConditionExpression: 'dueAt < :due AND dueShard <> :activated',
        ExpressionAttributeValues: { ':due': formatDueAt(dueAtMs), ':activated': ACTIVATED_SHARD },
      });
      await written(() => dynamoDocumentClient().send(update));
    },
    delete: async ({ orgId, id, hostname, revision }) => {
      // The hostname is recorded before the delete, so that a crash between the two writes can't lose the hostname. The
      // record is harmless while the domain still exists.
      await written(() => dynamoDocumentClient().send(recordRemovedHostname({ orgId, id, hostname })));
      const removal = new DeleteCommand({
        TableName: requireSetting('directoryTable'),
        Key: domainKey(orgId, id),
        ConditionExpression: UNCHANGED,
        ExpressionAttributeValues: { ':seen': revision },
      });
      await written(() => dynamoDocumentClient().send(removal));
    },
  };
}

const recordRemovedHostname = ({ orgId, id, hostname }: Pick<CustomDomain, 'orgId' | 'id' | 'hostname'>) =>
  new UpdateCommand({
    TableName: requireSetting('directoryTable'),
    Key: removedDomainKey(orgId, id),
    UpdateExpression: 'SET hostname = :hostname',
    ExpressionAttributeValues: { ':hostname': hostname },
  });

const written = <T>(write: () => Promise<T>): Promise<T | undefined> =>
  rethrowAsUnavailable(NOT_WRITABLE, () => undefinedIfConditionFailed(write()));

function changeOf({ orgId, id, revision }: CustomDomain, { dueAt: due, ...rest }: DomainChanges): UpdateCommand {
  const values = {
    ...toDomainAttributes(rest),
    revision: revision + 1,
    ...(due != null && toDueAttributes(id, Date.parse(due))),
    ...(rest.activatedAt != null && { dueShard: ACTIVATED_SHARD, dueAt: rest.activatedAt }),
  };
  const isWithoutDue = due === null && rest.activatedAt == null;
  const sets = Object.keys(values).map((name) => `#${name} = :${name}`);
  return new UpdateCommand({
    TableName: requireSetting('directoryTable'),
    Key: domainKey(orgId, id),
    UpdateExpression: `SET ${sets.join(', ')}${isWithoutDue ? ' REMOVE dueShard, dueAt' : ''}`,
    ConditionExpression: UNCHANGED,
    ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
      ':seen': revision,
    },
  });
}
