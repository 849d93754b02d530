import { createFileReferenceCheck } from '../../../shared/leads/aws/dynamo-file-reference-check.ts';
import { refundUnits } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';
import { dynamoDueUploads } from '../../../shared/uploads/aws/dynamo-due-uploads.ts';
import { dynamoFoundUploads } from '../../../shared/uploads/aws/dynamo-found-uploads.ts';
import { s3SweptFiles } from '../../../shared/uploads/aws/s3-file-store.ts';
import { sanitizeStoredContent } from '../../../shared/uploads/content/sanitize-stored-content.ts';
import { reservations } from '../../../shared/uploads/reservations.ts';
import { sweepUploads, type UploadSweepPorts } from '../../../shared/uploads/sweep-uploads.ts';

/** Fails at the end when an upload could not be processed, so that the function's alarm fires. The next run retries. */
export const createHandler = (ports: UploadSweepPorts) => async (): Promise<void> => {
  const counts = await sweepUploads(ports);
  for (const [swept, count] of counts) ports.log.recordMetric(`Uploads_${swept}`, count);
  if (counts.has('failed')) throw new Error(`${counts.get('failed')} uploads could not be processed.`);
};

const log = createJsonLogger({ function: 'background/sweep-uploads' });

export const handler = createHandler({
  uploads: { ...dynamoDueUploads(), ...dynamoFoundUploads() },
  files: s3SweptFiles(),
  ...reservations(refundUnits, log),
  inspect: sanitizeStoredContent,
  isReferencedByLead: createFileReferenceCheck(systemClock),
  clock: systemClock,
  log,
});
