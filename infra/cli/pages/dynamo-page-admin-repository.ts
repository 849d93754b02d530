import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { pageKey } from '../../../shared/landing-pages/aws/keys.ts';
import { TOMBSTONE } from '../../../shared/landing-pages/aws/page-item.ts';
import { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import { createRecordTable } from '../environment/record-table.ts';

const PageSummary = z.omit(LandingPage, { css: true, settings: true });
const PageOrTombstone = z.record(z.string(), z.unknown());

export function createDynamoPageAdminRepository(client?: DynamoDBDocumentClient) {
  const { list, update, remove } = createRecordTable('directoryTable', client);
  return {
    /** Lists an organization's pages without css and settings, which can be large. Omits tombstones. */
    async *list(orgId: string): AsyncGenerator<z.infer<typeof PageSummary>> {
      const only = [...Object.keys(PageSummary.shape), TOMBSTONE];
      for await (const item of list(PageOrTombstone, pageKey(orgId, ''), { only })) {
        if (!(TOMBSTONE in item)) yield PageSummary.parse(item);
      }
    },
    /** Returns false if the page does not exist. */
    setStatus: ({ orgId, id }: LandingPage, status: LandingPage['status'], nowMs: number): Promise<boolean> => {
      const exists = { expression: 'attribute_exists(id)' };
      return update(pageKey(orgId, id), { status, updatedAt: new Date(nowMs).toISOString() }, exists);
    },
    /** Deletes the item of the page, but not its blocks and files. */
    deleteRecord: async ({ orgId, id }: LandingPage): Promise<void> => void (await remove(pageKey(orgId, id))),
  };
}
