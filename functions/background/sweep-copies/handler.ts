import { createDynamoAssetReferenceRepository } from '../../../shared/landing-pages/aws/dynamo-asset-reference-repository.ts';
import {
  createDynamoPageWriteIntentRepository,
  deletePageParts,
} from '../../../shared/landing-pages/aws/dynamo-page-write-intent-repository.ts';
import {
  createDynamoPageWriter,
  createDynamoTombstoneRepository,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { s3AssetDeleter } from '../../../shared/landing-pages/aws/s3-asset-deleter.ts';
import { type PageWriteSweepPorts, sweepPageWrites } from '../../../shared/landing-pages/sweep-page-writes.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';

/** Fails in the end when something could not be removed, so that the alarm sees it; it is tried again by itself. */
export const createHandler = (ports: PageWriteSweepPorts) => async (): Promise<void> => {
  const counts = await sweepPageWrites(ports);
  for (const [swept, count] of counts) ports.log.recordMetric(`PageCopies_${swept}`, count);
  if (counts.has('failed')) throw new Error(`What is left of ${counts.get('failed')} pages could not be removed.`);
};

export const handler = createHandler({
  intents: createDynamoPageWriteIntentRepository(),
  writes: createDynamoPageWriter(),
  tombstones: createDynamoTombstoneRepository(),
  assetReferences: createDynamoAssetReferenceRepository(),
  leftovers: { ...s3AssetDeleter, deleteParts: deletePageParts },
  clock: systemClock,
  log: createJsonLogger({ function: 'background/sweep-copies' }),
});
