import { createAwsPageDeleter } from '../../../shared/landing-pages/aws/aws-page-deleter.ts';
import { createDynamoAssetReferenceRepository } from '../../../shared/landing-pages/aws/dynamo-asset-reference-repository.ts';
import { createDynamoPageWriteIntentRepository } from '../../../shared/landing-pages/aws/dynamo-page-write-intent-repository.ts';
import {
  createDynamoPageTombstoneRepository,
  createDynamoPageWriter,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { type PageWriteSweepPorts, sweepPageWrites } from '../../../shared/landing-pages/sweep-page-writes.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';

/** Fails at the end when an intent could not be processed, so that the function's alarm fires. A later run retries. */
export const createHandler = (ports: PageWriteSweepPorts) => async (): Promise<void> => {
  const counts = await sweepPageWrites(ports);
  for (const [outcome, count] of counts) ports.log.recordMetric(`PageWrites_${outcome}`, count);
  if (counts.has('failed'))
    throw new Error(
      `Number of page writes and deletions that could not be processed: ${counts.get('failed')}. ` +
        'A later run retries them.',
    );
};

export const handler = createHandler({
  intents: createDynamoPageWriteIntentRepository(),
  writes: createDynamoPageWriter(),
  tombstones: createDynamoPageTombstoneRepository(),
  assetReferences: createDynamoAssetReferenceRepository(),
  deleter: createAwsPageDeleter(),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/sweep-copies' }),
});
