import type { Context } from 'aws-lambda';
import { logFunnelResults } from '../../../shared/analytics/compaction/log-funnel-results.ts';
import { type FactSweepPorts, sweepFactFiles } from '../../../shared/analytics/compaction/sweep-fact-files.ts';
import { createDynamoManifestRepository } from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createS3FactFileRemover } from '../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { createS3NoncurrentVersions } from '../../../shared/platform/aws/s3-noncurrent-versions.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** If the sweep of a funnel failed, throws after all other work, so that the alarm fires. The next run retries. */
export const createHandler =
  (ports: FactSweepPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const sweeps = await sweepFactFiles(ports, { remainingMs: () => context.getRemainingTimeInMillis() });
    const sum = (count: 'removed' | 'orphans') =>
      sweeps.reduce((all, sweep) => all + (sweep.outcome === 'swept' ? sweep[count] : 0), 0);
    ports.log.recordMetric('FactFiles_removed', sum('removed'));
    ports.log.recordMetric('FactFiles_orphaned', sum('orphans'));
    logFunnelResults(ports.log, 'A sweep of facts', sweeps);
  };

export const handler = createHandler({
  manifests: createDynamoManifestRepository(),
  fileStore: createS3FactFileRemover(createS3NoncurrentVersions('factsBucket')),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/sweep-facts' }),
});
