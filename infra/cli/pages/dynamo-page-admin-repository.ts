import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { pageKey } from '../../../shared/landing-pages/aws/keys.ts';
import { TOMBSTONE } from '../../../shared/landing-pages/aws/page-item.ts';
import { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import { prefixQuery } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';

type Status = LandingPage['status'];

const ListedPage = z.omit(LandingPage, { css: true, settings: true });
export type ListedPage = z.infer<typeof ListedPage>;

const LISTED = [...Object.keys(ListedPage.shape), TOMBSTONE];
const WITHOUT_TEXTS = {
  ProjectionExpression: LISTED.map((name) => `#${name}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(LISTED.map((name) => [`#${name}`, name])),
};

/** Operators' access to pages in the directory table. */
export function createDynamoPageAdminRepository(client: DynamoDBDocumentClient) {
  return {
    /** An organization's pages, without their texts, which can be large. Tombstones are left out. */
    async *list(orgId: string): AsyncGenerator<ListedPage> {
      const query = { ...prefixQuery(pageKey(orgId, '')), ...WITHOUT_TEXTS };
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const item of Items) if (!(TOMBSTONE in item)) yield ListedPage.parse(item);
      }
    },
    /** Returns false when the page does not exist. */
    setStatus: async ({ orgId, id }: LandingPage, status: Status, nowMs: number): Promise<boolean> => {
      const update = new UpdateCommand({
        TableName: requireSetting('directoryTable'),
        Key: pageKey(orgId, id),
        UpdateExpression: 'SET #status = :status, updatedAt = :now',
        ConditionExpression: 'attribute_exists(id)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status, ':now': new Date(nowMs).toISOString() },
      });
      return (await undefinedIfConditionFailed(client.send(update))) !== undefined;
    },
    /** Deletes only the page's own record. */
    deleteRecord: async ({ orgId, id }: LandingPage): Promise<void> => {
      const at = { TableName: requireSetting('directoryTable'), Key: pageKey(orgId, id) };
      await client.send(new DeleteCommand(at));
    },
  };
}
