import type { Context } from 'aws-lambda';
import { type BasePorts, compactBases } from '../../../shared/analytics/compaction/compact-base.ts';
import { duckdbBaseRewriter } from '../../../shared/analytics/compaction/duckdb-base-rewriter.ts';
import { reportRuns } from '../../../shared/analytics/compaction/report-runs.ts';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { s3FactObjectReader, s3FactObjectWriter } from '../../../shared/analytics/facts/s3-fact-objects.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails in the end when a funnel failed, so that the scheduler's alarm sees it; the next run tries again. */
export const createHandler =
  (ports: BasePorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const compactions = await compactBases(ports, {
      timeLeftMs: () => context.getRemainingTimeInMillis(),
      backlog: (filesMax) => ports.log.recordMetric('Facts_amendmentFilesMax', filesMax),
    });
    reportRuns(ports.log, 'compacted base', compactions);
  };

export const handler = createHandler({
  manifests: dynamoManifests(),
  rewriter: duckdbBaseRewriter({ ...s3FactObjectReader(), ...s3FactObjectWriter() }),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/compact-base' }),
});
