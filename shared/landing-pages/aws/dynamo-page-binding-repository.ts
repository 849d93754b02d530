import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { PageBindingRepository } from '../../domains/ports.ts';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { prefixQuery, readItem } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { pageKey } from './keys.ts';

const NOT_READABLE = 'The pages cannot be read. Try again shortly.';
const NOT_WRITABLE = 'The page cannot be changed. Try again shortly.';

const Found = z.array(z.object({ id: z.string() }));

/** The domains that pages name, in the directory table. */
export function createDynamoPageBindingRepository(): PageBindingRepository {
  return {
    listPageIds: async ({ orgId, domainId }) => {
      const found: string[] = [];
      let from: Record<string, unknown> | undefined;
      do {
        const query = boundTo(orgId, domainId, from);
        const { Items, LastEvaluatedKey } = await rethrowAsUnavailable(NOT_READABLE, () =>
          dynamoDocumentClient().send(query),
        );
        found.push(...Found.parse(Items ?? []).map(({ id }) => id));
        from = LastEvaluatedKey;
      } while (from !== undefined);
      return found;
    },
    bind: async ({ orgId, domainId }, pageId) => {
      const condition = 'attribute_exists(id) AND (domainId = :mine OR NOT attribute_type(domainId, :text))';
      const values = { ':to': domainId, ':mine': domainId, ':text': 'S' };
      if (await update(orgId, pageId, condition, values)) return 'bound';
      // A page that was never finished leaves a record without an id for a while.
      return (await readItem(pageKey(orgId, pageId), true))?.id === undefined ? 'unknown' : 'other';
    },
    unbind: async ({ orgId, domainId }, pageId) => {
      await update(orgId, pageId, 'domainId = :mine', { ':to': null, ':mine': domainId });
    },
  };
}

function boundTo(orgId: string, domainId: string, from: Record<string, unknown> | undefined): QueryCommand {
  const pages = prefixQuery(pageKey(orgId, ''));
  return new QueryCommand({
    ...pages,
    FilterExpression: 'domainId = :mine',
    ProjectionExpression: 'id',
    ExpressionAttributeValues: { ...pages.ExpressionAttributeValues, ':mine': domainId },
    ...(from !== undefined && { ExclusiveStartKey: from }),
  });
}

/** False when the condition does not hold. */
async function update(
  orgId: string,
  pageId: string,
  condition: string,
  values: Record<string, string | null>,
): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: requireSetting('directoryTable'),
    Key: pageKey(orgId, pageId),
    UpdateExpression: 'SET domainId = :to',
    ConditionExpression: condition,
    ExpressionAttributeValues: values,
  });
  return (
    (await rethrowAsUnavailable(NOT_WRITABLE, () =>
      undefinedIfConditionFailed(dynamoDocumentClient().send(command)),
    )) !== undefined
  );
}
