import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { DEMO_IDS } from '../../../../infra/local/seed/demo-ids.ts';
import { DEMO_HOSTNAME, demoAssets, demoBlocks, demoPage } from '../../../../infra/local/seed/demo-page.ts';
import { rewritePage } from '../../../../shared/landing-pages/rewriting/rewrite-page.ts';

const CREATED_AT = '2026-05-01T08:00:00.000Z';
const source = { page: demoPage(CREATED_AT), blocks: demoBlocks(), assets: demoAssets(68, CREATED_AT) };

test('the demo page has 12 blocks and 20 assets, and refers to every asset', () => {
  const texts = JSON.stringify([source.page, source.blocks]);
  expect([source.blocks.length, source.assets.length]).toEqual([12, 20]);
  for (const { id } of source.assets) expect(texts).toContain(id);
});

test('a copy in another organization refers to all assets of the copy, and contains no id or hostname of the original', () => {
  const target = { orgId: randomUUID(), pageId: randomUUID() };
  const assets = new Map(
    source.assets.map((asset) => {
      const id = randomUUID();
      return [asset.id, { ...asset, id, key: `${target.orgId}/${target.pageId}/${id}.png` }];
    }),
  );
  const foreign = {
    ids: [DEMO_IDS.funnel, DEMO_IDS.uploadBlock, ...DEMO_IDS.domainAssets],
    hostnames: [DEMO_HOSTNAME],
  };
  const copy = rewritePage({ source, target, assets, foreign, newId: randomUUID, createdAt: CREATED_AT });
  const texts = JSON.stringify(copy);
  const { landingPage, organizationA, funnel, uploadBlock } = DEMO_IDS;
  const ids = [...source.blocks, ...source.assets].map(({ id }) => id);
  for (const id of [landingPage, organizationA, funnel, uploadBlock, DEMO_HOSTNAME, ...ids]) {
    expect(texts).not.toContain(id);
  }
  const shown = JSON.stringify([copy.page, copy.blocks]);
  // The original refers to its preview image by a URL with the hostname. The copy must refer to its own preview image.
  for (const { id, name } of copy.assets) expect([name, shown.includes(id)]).toEqual([name, true]);
});
