import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDynamoPageAdminRepository } from '../../../../infra/cli/pages/dynamo-page-admin-repository.ts';
import { createAwsPageDeleter } from '../../../../shared/landing-pages/aws/aws-page-deleter.ts';
import { dynamoDocumentClient } from '../../../../shared/platform/aws/dynamo-client.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import { dailyUploadQuota } from '../../../../shared/uploads/upload-quota.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aWorld } from '../../../support/landing-pages/copy-crashes.ts';
import { aPage, copied, storedPage } from '../../../support/landing-pages/pages.ts';
import { countLoggedMetrics } from '../../../support/logs/logged-metrics.ts';

useDynamo();

test('201: copies assets to the copy’s prefix; counts their bytes in the target organization’s daily upload quota', async () => {
  const { away, source, files, limits, copy } = await aWorld();
  const response = await copy({ targetOrganizationId: away.orgId, copyAssets: true }, { pageId: source.page.id });
  const { page, assets, blocks } = await copied(away.orgId, response);
  expect(assets).toHaveLength(3);
  for (const { id, key } of assets) {
    expect(key).toBe(`${away.orgId}/${page.id}/${id}.png`);
    expect(files.objects.get(key)).toBe('bytes');
  }
  expect(assets.some(({ key }) => blocks.some(({ body }) => body.includes(`/assets/${key}`)))).toBe(true);
  expect(limits.taken('upload-bytes-day')).toBe(300);
  const quota = dailyUploadQuota(away.orgId, {});
  const { remaining } = await limits.limiter.readRemaining(quota, createJsonLogger({}));
  expect(quota.limit - remaining).toBe(300);
});

test('201: if the file of an asset is missing, omits the asset, counts it in a metric, and refunds its bytes', async () => {
  const { away, source, files, limits, copy } = await aWorld();
  files.objects.delete(source.assets[0]?.key ?? '');
  const response = await copy({ targetOrganizationId: away.orgId, copyAssets: true }, { pageId: source.page.id });
  const { assets, blocks } = await copied(away.orgId, response);
  expect(assets).toHaveLength(2);
  expect(blocks.map(({ body }) => JSON.parse(body).image)).toContain(null);
  expect(limits.taken('upload-bytes-day')).toBe(200);
  expect(countLoggedMetrics()).toMatchObject({ PageAssetsMissing: 1, PagesCopied: 1 });
});

test('201: does not copy a file of another organization, even if an asset of the page refers to it', async () => {
  const { home, away, files, limits, copy } = await aWorld();
  const [mine, theirs] = [aPage(home.orgId, { assets: 1 }), aPage(randomUUID(), { assets: 1 }).assets];
  files.objects.set(theirs[0]?.key ?? '', 'their bytes');
  const source = await storedPage({ ...mine, assets: theirs });
  const response = await copy({ targetOrganizationId: away.orgId, copyAssets: true }, { pageId: source.page.id });
  expect((await copied(away.orgId, response)).assets).toEqual([]);
  expect([...files.objects.values()].filter((bytes) => bytes === 'their bytes')).toHaveLength(1);
  expect(limits.taken('upload-bytes-day')).toBe(0);
});

test('201: if the source is deleted while its files are copied, the copy lacks only the files not yet copied', async () => {
  const { away, source, files, ports, copy } = await aWorld();
  let removed = false;
  const racing = {
    copy: async (from: string, to: string) => {
      const outcome = await files.copy(from, to);
      if (!removed) {
        removed = true;
        await createDynamoPageAdminRepository(dynamoDocumentClient()).deleteRecord(source.page);
        await createAwsPageDeleter().deleteParts(source.page.id);
        for (const { key } of source.assets) files.objects.delete(key);
      }
      return outcome;
    },
  };
  const body = { targetOrganizationId: away.orgId, copyAssets: true };
  const request = { pageId: source.page.id, headers: { 'idempotency-key': randomUUID() } };
  const response = await copy(body, { ...request, with: { ...ports, files: racing } });
  const { assets, blocks } = await copied(away.orgId, response);
  expect(blocks).toHaveLength(2);
  for (const { key } of assets) expect(files.objects.has(key)).toBe(true);
  expect((await copy(body, request)).body).toEqual(response.body);
});

test('201: if a page is copied within its organization without its assets, the copy shows the files of the source', async () => {
  const { home, source, files, limits, copy } = await aWorld();
  const response = await copy({ targetOrganizationId: home.orgId }, { pageId: source.page.id });
  const { assets, blocks } = await copied(home.orgId, response);
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
  expect(assets.toSorted(byId)).toEqual(source.assets.toSorted(byId));
  expect(blocks.some(({ body }) => body.includes(source.assets[0]?.key ?? 'x'))).toBe(true);
  expect(files.objects.size).toBe(3);
  expect(limits.taken('upload-bytes-day')).toBe(0);
});
