import { paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { prefixQuery, readItem } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { pageKey } from './keys.ts';

const UNREADABLE = 'The pages cannot be read. Try again shortly.';
const UNWRITABLE = 'The page cannot be changed. Try again shortly.';

const PageItems = z.array(z.object({ id: z.string() }));

type DomainIds = { orgId: string; domainId: string };

/**
 * Bindings of pages to custom domains, in the pages' own items. Implements `PageBindingRepository` of `shared/domains`.
 */
export function createDynamoPageBindingRepository() {
  return {
    listPageIds: ({ orgId, domainId }: DomainIds): Promise<string[]> =>
      rethrowAsUnavailable(UNREADABLE, async () => {
        const pages = prefixQuery(pageKey(orgId, ''));
        const query = {
          ...pages,
          FilterExpression: 'domainId = :domain',
          ProjectionExpression: 'id',
          ExpressionAttributeValues: { ...pages.ExpressionAttributeValues, ':domain': domainId },
        };
        const pageIds: string[] = [];
        for await (const { Items } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
          pageIds.push(...PageItems.parse(Items ?? []).map(({ id }) => id));
        }
        return pageIds;
      }),
    bind: async (
      { orgId, domainId }: DomainIds,
      pageId: string,
    ): Promise<'bound' | 'not_found' | 'bound_elsewhere'> => {
      const condition = 'attribute_exists(id) AND (domainId = :domain OR NOT attribute_type(domainId, :text))';
      const values = { ':to': domainId, ':domain': domainId, ':text': 'S' };
      if (await updateIf(condition, { orgId, pageId, values })) return 'bound';
      // A tombstone has no id, so a deleted page is `not_found`.
      return (await readItem(pageKey(orgId, pageId), true))?.id === undefined ? 'not_found' : 'bound_elsewhere';
    },
    unbind: async ({ orgId, domainId }: DomainIds, pageId: string): Promise<void> => {
      await updateIf('domainId = :domain', { orgId, pageId, values: { ':to': null, ':domain': domainId } });
    },
  };
}

type BindingUpdate = { orgId: string; pageId: string; values: Record<string, string | null> };

/** Returns false, without a write, if the condition is false. */
async function updateIf(condition: string, { orgId, pageId, values }: BindingUpdate): Promise<boolean> {
  const update = new UpdateCommand({
    TableName: requireSetting('directoryTable'),
    Key: pageKey(orgId, pageId),
    UpdateExpression: 'SET domainId = :to',
    ConditionExpression: condition,
    ExpressionAttributeValues: values,
  });
  return (
    (await rethrowAsUnavailable(UNWRITABLE, () => undefinedIfConditionFailed(dynamoDocumentClient().send(update)))) !==
    undefined
  );
}
