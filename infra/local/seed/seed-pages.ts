import { PutObjectCommand } from '@aws-sdk/client-s3';
import { dynamoDirectoryWriter } from '../../../shared/directory/dynamo-directory-writer.ts';
import { UploadBlock } from '../../../shared/directory/upload-block.ts';
import { s3 } from '../../../shared/platform/s3.ts';
import { DEMO_IDS, demoId } from './demo-ids.ts';
import { putRecords } from './plain-records.ts';

const ORGANIZATION = `org#${DEMO_IDS.organizationA}`;
const PAGE = `page#${DEMO_IDS.landingPage}`;
const BLOCKS = 12;
const ASSETS = 20;

/** A transparent PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const times = (count: number) => Array.from({ length: count }, (_, index) => index);
const assetKey = (id: string) => `${DEMO_IDS.organizationA}/${DEMO_IDS.landingPage}/${id}.png`;

/** Writes a landing page with blocks and assets, and an upload block. */
export async function seedPages(bucket: string, nowMs: number): Promise<void> {
  const createdAt = new Date(nowMs - 40 * 24 * 3600_000).toISOString();
  const assets = times(ASSETS).map((index) => assetRecord(index, createdAt));
  await Promise.all([
    dynamoDirectoryWriter().putUploadBlock(DEMO_IDS.organizationA, uploadBlock()),
    putRecords('directoryTable', [
      ...pageRecords(createdAt),
      ...times(BLOCKS).map((index) => blockRecord(index)),
      ...assets,
    ]),
    ...assets.map(({ key }) =>
      s3().send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: PIXEL, ContentType: 'image/png' })),
    ),
  ]);
}

function pageRecords(createdAt: string) {
  const { landingPage: id, organizationA: orgId } = DEMO_IDS;
  return [
    { pk: ORGANIZATION, sk: PAGE, id },
    { pk: PAGE, sk: 'page', id, orgId, name: 'Solar for your roof', slug: 'solar', status: 'published', createdAt },
  ];
}

/** Blocks refer to assets, to each other, to the funnel and to a domain: everything that a copy must rewrite. */
function blockRecord(index: number) {
  const id = demoId(`page block ${index}`);
  const assetId = demoId(`asset ${index}`);
  const body = {
    heading: `Part ${index + 1}`,
    image: { assetId, url: `/assets/${assetKey(assetId)}` },
    ...(index > 0 && { after: demoId(`page block ${index - 1}`) }),
    ...(index === 3 && { funnelId: DEMO_IDS.funnel }),
    ...(index === 11 && { domainId: DEMO_IDS.domainAssets[0] }),
  };
  const kind = index === 3 ? 'funnel' : 'section';
  return { pk: PAGE, sk: `block#${id}`, id, position: index, kind, body: JSON.stringify(body) };
}

function assetRecord(index: number, createdAt: string) {
  const id = demoId(`asset ${index}`);
  const name = `roof-${index + 1}.png`;
  return {
    pk: PAGE,
    sk: `asset#${id}`,
    id,
    key: assetKey(id),
    name,
    mimeType: 'image/png',
    size: PIXEL.length,
    createdAt,
  };
}

/** Where the funnel takes files of every type that the service takes. */
const uploadBlock = (): UploadBlock =>
  UploadBlock.parse({ id: DEMO_IDS.uploadBlock, kind: 'upload', funnelId: DEMO_IDS.funnel });
