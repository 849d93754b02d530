import { createFileReferenceCheck } from '../../../shared/leads/aws/dynamo-file-reference-check.ts';
import { releaseUnits } from '../../../shared/limits/dynamo-limiter.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { jsonLog } from '../../../shared/platform/log.ts';
import { dynamoDueUploads } from '../../../shared/uploads/dynamo-due-uploads.ts';
import { dynamoFoundUploads } from '../../../shared/uploads/dynamo-found-uploads.ts';
import { inspectStored } from '../../../shared/uploads/inspect-stored.ts';
import { reservations } from '../../../shared/uploads/reservations.ts';
import { s3SweptFiles } from '../../../shared/uploads/s3-swept-files.ts';
import { type SweepPorts, sweepUploads } from '../../../shared/uploads/sweep-uploads.ts';

/** Fails in the end when an upload failed, so that the alarm sees it; it is tried again by itself. */
export const createHandler = (ports: SweepPorts) => async (): Promise<void> => {
  const counts = await sweepUploads(ports);
  for (const [swept, count] of counts) ports.log.count(`Uploads_${swept}`, count);
  if (counts.has('failed')) throw new Error(`${counts.get('failed')} uploads could not be swept.`);
};

const log = jsonLog({ function: 'background/sweep-uploads' });

export const handler = createHandler({
  uploads: { ...dynamoDueUploads(), ...dynamoFoundUploads() },
  files: s3SweptFiles(),
  ...reservations(releaseUnits, log),
  inspect: inspectStored,
  refers: createFileReferenceCheck(systemClock),
  clock: systemClock,
  log,
});
