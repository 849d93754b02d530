import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beginningWith, key } from '../directory/directory-table.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import type { LandingPage } from './landing-page.ts';
import { pageIn } from './page-items.ts';

type Status = LandingPage['status'];

/** Pages as the operator sees them, in the directory table. */
export function dynamoPageDesk(client: DynamoDBDocumentClient) {
  return {
    /** An organization's pages. */
    async *all(orgId: string): AsyncGenerator<LandingPage> {
      for await (const { Items = [] } of paginateQuery({ client }, beginningWith(key.page(orgId, '')))) {
        for (const item of Items) {
          const page = pageIn(item);
          if (page !== undefined) yield page;
        }
      }
    },
    /** False when the page is gone. */
    setStatus: async ({ orgId, id }: LandingPage, status: Status, nowMs: number): Promise<boolean> => {
      const update = new UpdateCommand({
        TableName: config('directoryTable'),
        Key: key.page(orgId, id),
        UpdateExpression: 'SET #status = :status, updatedAt = :now',
        ConditionExpression: 'attribute_exists(id)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status, ':now': new Date(nowMs).toISOString() },
      });
      return (await conditionally(client.send(update))) !== undefined;
    },
    /** Its record alone. */
    removeRecord: async ({ orgId, id }: LandingPage): Promise<void> => {
      const at = { TableName: config('directoryTable'), Key: key.page(orgId, id) };
      await client.send(new DeleteCommand(at));
    },
  };
}
