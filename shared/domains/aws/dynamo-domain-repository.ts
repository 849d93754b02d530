import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { available } from '../../http/available.ts';
import { key } from '../../platform/aws/table-reader.ts';
import { dynamo } from '../../platform/clients.ts';
import { conditionally } from '../../platform/conditionally.ts';
import { config } from '../../platform/config.ts';
import { dueKeys } from '../../platform/due-index.ts';
import { dueAt } from '../../platform/due-time.ts';
import type { CustomDomain } from '../domain.ts';
import type { DomainChanges, DomainRepository } from '../ports.ts';
import { domainKey, formatDueShard, parseDomainItem, parseDomainKey, toDueAttributes } from './domain-item.ts';

const NOT_READABLE = 'The domain cannot be read. Try again shortly.';
const NOT_WRITABLE = 'The domain cannot be changed. Try again shortly.';

/** As it was seen. */
const UNCHANGED = 'revision = :seen';

/** Domains in the directory table. */
export function createDynamoDomainRepository(): DomainRepository {
  return {
    find: async (ids) => {
      const get = new GetCommand({ TableName: config('directoryTable'), Key: domainKey(ids), ConsistentRead: true });
      const { Item } = await available(NOT_READABLE, () => dynamo().send(get));
      return Item && parseDomainItem(Item);
    },
    listDue: async (nowMs, most) =>
      (await available(NOT_READABLE, () => dueKeys('directoryTable', formatDueShard, nowMs, most))).map(parseDomainKey),
    update: async (seen, changes) => {
      const answer = await written(() => dynamo().send(changeOf(seen, changes)));
      return answer && { ...seen, ...changes, revision: seen.revision + 1 };
    },
    postpone: async (ids, dueAtMs) => {
      const update = new UpdateCommand({
        TableName: config('directoryTable'),
        Key: domainKey(ids),
        UpdateExpression: 'SET dueAt = :due',
        ConditionExpression: 'dueAt < :due',
        ExpressionAttributeValues: { ':due': dueAt(dueAtMs) },
      });
      await written(() => dynamo().send(update));
    },
    delete: async ({ orgId, id, hostname, revision }) => {
      // Before the delete, so that no crash between the two loses it. Harmless while the domain still exists.
      await written(() => dynamo().send(noteRemoved({ orgId, id, hostname })));
      const removal = new DeleteCommand({
        TableName: config('directoryTable'),
        Key: key.domain(orgId, id),
        ConditionExpression: UNCHANGED,
        ExpressionAttributeValues: { ':seen': revision },
      });
      await written(() => dynamo().send(removal));
    },
  };
}

const noteRemoved = ({ orgId, id, hostname }: Pick<CustomDomain, 'orgId' | 'id' | 'hostname'>) =>
  new UpdateCommand({
    TableName: config('directoryTable'),
    Key: key.removedDomain(orgId, id),
    UpdateExpression: 'SET hostname = :hostname',
    ExpressionAttributeValues: { ':hostname': hostname },
  });

const written = <T>(write: () => Promise<T>): Promise<T | undefined> =>
  available(NOT_WRITABLE, () => conditionally(write()));

function changeOf({ orgId, id, revision }: CustomDomain, { dueAt: due, ...rest }: DomainChanges): UpdateCommand {
  const values = { ...rest, revision: revision + 1, ...(due != null && toDueAttributes(id, Date.parse(due))) };
  const sets = Object.keys(values).map((name) => `#${name} = :${name}`);
  return new UpdateCommand({
    TableName: config('directoryTable'),
    Key: key.domain(orgId, id),
    UpdateExpression: `SET ${sets.join(', ')}${due === null ? ' REMOVE dueShard, dueAt' : ''}`,
    ConditionExpression: UNCHANGED,
    ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
      ':seen': revision,
    },
  });
}
