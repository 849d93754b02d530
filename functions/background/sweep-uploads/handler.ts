import { createFileReferenceCheck } from '../../../shared/leads/aws/dynamo-file-reference-check.ts';
import { refundUnits } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import {
  deleteUpload,
  findDueUploads,
  findUpload,
  updateUpload,
} from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { createS3FileStore } from '../../../shared/uploads/aws/s3-file-store.ts';
import { sanitizeStoredContent } from '../../../shared/uploads/content/sanitize-content.ts';
import { sweepUploads, type UploadSweepPorts } from '../../../shared/uploads/sweep-uploads.ts';
import { createReservationRelease } from '../../../shared/uploads/upload-quota.ts';

/** Fails at the end when an upload could not be processed, so that the function's alarm fires. A later run retries. */
export const createHandler = (ports: UploadSweepPorts) => async (): Promise<void> => {
  const counts = await sweepUploads(ports);
  for (const [outcome, count] of counts) ports.log.recordMetric(`Uploads_${outcome}`, count);
  if (counts.has('error'))
    throw new Error(`Number of uploads that could not be processed: ${counts.get('error')}. A later run retries them.`);
};

const log = createJsonLogger({ function: 'background/sweep-uploads' });

export const handler = createHandler({
  uploads: { find: findUpload, findDue: findDueUploads, update: updateUpload, delete: deleteUpload },
  files: createS3FileStore(),
  releaseReservation: createReservationRelease(refundUnits, log),
  inspect: sanitizeStoredContent,
  isReferencedByLead: createFileReferenceCheck(systemClock),
  clock: systemClock,
  log,
});
