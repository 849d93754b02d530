import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { PrimaryKey } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import type { PublicationState } from './funnel-admin.ts';

type Condition = { expression: string; names?: Record<string, string>; values?: Record<string, unknown> };

/** A put of an item that does not exist yet or meets the condition. */
export const putIf = (
  at: PrimaryKey,
  item: object,
  condition: Condition = { expression: 'attribute_not_exists(pk)' },
) =>
  new PutCommand({
    TableName: requireSetting('directoryTable'),
    Item: { ...at, ...item },
    ConditionExpression: condition.expression,
    ...(condition.values && { ExpressionAttributeValues: condition.values }),
  });

/** An update of these attributes if the condition holds; undefined attributes are removed. */
export function updateIf(at: PrimaryKey, to: Record<string, unknown>, { expression, names, values }: Condition) {
  const [set, removed] = [true, false].map((isSet) =>
    Object.keys(to).filter((name) => (to[name] !== undefined) === isSet),
  );
  const sets = `SET ${set?.map((name) => `#${name} = :${name}`).join(', ')}`;
  const removes = removed?.length ? ` REMOVE ${removed.map((name) => `#${name}`).join(', ')}` : '';
  return new UpdateCommand({
    TableName: requireSetting('directoryTable'),
    Key: at,
    UpdateExpression: sets + removes,
    ConditionExpression: expression,
    ExpressionAttributeNames: { ...Object.fromEntries(Object.keys(to).map((name) => [`#${name}`, name])), ...names },
    ExpressionAttributeValues: { ...Object.fromEntries(set?.map((name) => [`:${name}`, to[name]]) ?? []), ...values },
  });
}

/** The funnel exists, and was not published, unpublished or archived since it was read. */
export function ifUnchangedSince({ publishedVersionId, unpublishedAt, archivedAt }: PublicationState): Condition {
  const read = Object.entries({ publishedVersionId, unpublishedAt, archivedAt });
  const conditions = read.map(([name, value]) => {
    const same = `#was_${name} = :was_${name}`;
    // A record may lack an attribute whose value is null.
    return value === null ? `(attribute_not_exists(#was_${name}) OR ${same})` : same;
  });
  return {
    expression: ['attribute_exists(pk)', ...conditions].join(' AND '),
    names: Object.fromEntries(read.map(([name]) => [`#was_${name}`, name])),
    values: Object.fromEntries(read.map(([name, value]) => [`:was_${name}`, value])),
  };
}
