import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { requireSetting } from '../../../shared/platform/settings.ts';

type Asked = {
  orgId: string;
  kind: 'case' | 'persona' | 'call';
  order?: 'newest first';
  /** Continues after this record. */
  after?: string | undefined;
  /** The attribute paths to read, which omit those that are not needed. */
  only?: readonly string[];
  /** Attributes that must have these values. */
  where?: Record<string, string | undefined>;
};

/** The records read per request: calls hold transcripts, and a page has a megabyte at most. */
const LOOKED_AT = 100;

/** An organization's records of a kind, one page at a time, ordered by id; call ids are ordered by time. */
export async function* listTrainingRecords(client: DynamoDBDocumentClient, asked: Asked): AsyncGenerator<unknown> {
  const { orgId, kind, order, after, only, where = {} } = asked;
  const [pk, prefix] = [`org#${orgId}`, `${kind}#`];
  const wanted = Object.entries(where).filter(([, value]) => value !== undefined);
  const paths = only?.map((path) => path.split('.'));
  const names = new Set([...(paths ?? []).flat(), ...wanted.map(([name]) => name)]);
  const pages = paginateQuery(
    { client },
    {
      TableName: requireSetting('trainingTable'),
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: {
        ...{ ':pk': pk, ':prefix': prefix },
        ...Object.fromEntries(wanted.map(([name, value]) => [`:${name}`, value])),
      },
      ScanIndexForward: order === undefined,
      Limit: LOOKED_AT,
      ...(after !== undefined && { ExclusiveStartKey: { pk, sk: `${prefix}${after}` } }),
      ...(paths && { ProjectionExpression: paths.map((path) => path.map((name) => `#${name}`).join('.')).join(', ') }),
      ...(wanted.length > 0 && { FilterExpression: wanted.map(([name]) => `#${name} = :${name}`).join(' AND ') }),
      ...(names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [`#${name}`, name])),
      }),
    },
  );
  for await (const { Items = [] } of pages) yield* Items;
}
