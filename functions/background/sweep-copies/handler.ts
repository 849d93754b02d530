import { dynamoDueAttempts, removeParts } from '../../../shared/landing-pages/dynamo-due-attempts.ts';
import { dynamoPageWrites, dynamoTombstones } from '../../../shared/landing-pages/dynamo-page-writes.ts';
import { dynamoSharedFiles } from '../../../shared/landing-pages/dynamo-shared-files.ts';
import { s3PageLeftovers } from '../../../shared/landing-pages/s3-page-leftovers.ts';
import { type SweepPorts, sweepCopies } from '../../../shared/landing-pages/sweep-copies.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { jsonLog } from '../../../shared/platform/log.ts';

/** Fails in the end when something could not be removed, so that the alarm sees it; it is tried again by itself. */
export const createHandler = (ports: SweepPorts) => async (): Promise<void> => {
  const counts = await sweepCopies(ports);
  for (const [swept, count] of counts) ports.log.count(`PageCopies_${swept}`, count);
  if (counts.has('failed')) throw new Error(`What is left of ${counts.get('failed')} pages could not be removed.`);
};

export const handler = createHandler({
  attempts: dynamoDueAttempts(),
  writes: dynamoPageWrites(),
  tombstones: dynamoTombstones(),
  shared: dynamoSharedFiles(),
  leftovers: { ...s3PageLeftovers, removeParts },
  clock: systemClock,
  log: jsonLog({ function: 'background/sweep-copies' }),
});
