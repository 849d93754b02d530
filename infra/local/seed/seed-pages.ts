import { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { createDynamoPageWriter } from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { putAsset } from '../../cli/pages/s3-asset-writer.ts';
import { DEMO_IDS } from './demo-ids.ts';
import { demoAssets, demoBlocks, demoPage } from './demo-page.ts';
import { createDirectoryWriter } from './directory-writer.ts';

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Writes a landing page with its blocks and assets. Also writes an upload block of the demo funnel. */
export async function seedPages(nowMs: number): Promise<void> {
  const createdAt = new Date(nowMs - 40 * 24 * 3600_000).toISOString();
  const assets = demoAssets(PIXEL.length, createdAt);
  const writes = createDynamoPageWriter();
  await Promise.all([
    createDirectoryWriter().putUploadBlock(DEMO_IDS.organizationA, demoUploadBlock()),
    writes.putParts(DEMO_IDS.landingPage, { blocks: demoBlocks(), assets }),
    ...assets.map(({ key }) => putAsset(key, PIXEL, 'image/png')),
  ]);
  await writes.commit(demoPage(createdAt));
}

/** An upload block that accepts every file type of the service. */
export const demoUploadBlock = (): UploadBlock =>
  UploadBlock.parse({ id: DEMO_IDS.uploadBlock, kind: 'upload', funnelId: DEMO_IDS.funnel, name: 'Photo of the roof' });
