import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { aBlock, aPage, setUpCopy, storedPage } from '../../../support/landing-pages/pages.ts';

const { callsOf } = useDynamo();

test('a copy of 200 assets and 12 blocks sends 23 requests to the table, and 200 to the store, 50 at a time', async () => {
  const { home, away, files, ports, copy } = await setUpCopy();
  const blocks = () => Array.from({ length: 12 }, (_, index) => aBlock({}, index));
  const source = await storedPage(aPage(home.orgId, { assets: 200, blocks }));
  for (const { key } of source.assets) files.objects.set(key, 'bytes');
  const store = { calls: 0, underWay: 0, most: 0 };
  const counting = {
    copy: async (from: string, to: string) => {
      store.calls++;
      store.most = Math.max(store.most, ++store.underWay);
      await new Promise((resolve) => setImmediate(resolve));
      store.underWay--;
      return files.copy(from, to);
    },
  };
  const calls = await callsOf(async () => {
    const response = await copy(
      { targetOrganizationId: away.orgId, copyAssets: true },
      { pageId: source.page.id, headers: { 'idempotency-key': randomUUID() }, with: { ...ports, files: counting } },
    );
    expect(response.status).toBe(201);
  });
  const count = (name: string) => calls.filter((call) => call === name).length;
  const names = ['GetItem', 'Query', 'PutItem', 'BatchWriteItem', 'DeleteItem', 'UpdateItem'];
  // GetItem: the idempotency record once, and the page three times.
  // Query: parts, funnels, upload blocks, domains, removed domains. PutItem: idempotency record, intent record, page.
  // BatchWriteItem: 212 items in batches of 25. DeleteItem: the intent record. UpdateItem: the idempotency record.
  expect(names.map((name) => [name, count(name)])).toEqual([
    ['GetItem', 4],
    ['Query', 5],
    ['PutItem', 3],
    ['BatchWriteItem', 9],
    ['DeleteItem', 1],
    ['UpdateItem', 1],
  ]);
  expect(calls).toHaveLength(23);
  expect(store).toMatchObject({ calls: 200, most: 50 });
});
