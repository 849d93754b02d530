import type { Context } from 'aws-lambda';
import { type CompactionPorts, compactDue } from '../../../shared/analytics/compaction/compact.ts';
import { reportRuns } from '../../../shared/analytics/compaction/report-runs.ts';
import { duckdbFactWriter } from '../../../shared/analytics/facts/duckdb-fact-writer.ts';
import { dynamoFreshFacts } from '../../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { s3FactObjectWriter } from '../../../shared/analytics/facts/s3-fact-objects.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails in the end when a funnel failed, so that the scheduler's alarm sees it; the next run tries again. */
export const createHandler =
  (ports: CompactionPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const compactions = await compactDue(ports, {
      timeLeftMs: () => context.getRemainingTimeInMillis(),
      backlog: (oldestWaitMs) =>
        ports.log.recordMetric('FreshFacts_oldestWaitSeconds', oldestWaitMs / 1_000, 'Seconds'),
    });
    reportRuns(ports.log, 'compacted', compactions);
  };

/** Facts and their sorted copy, however long their texts; between two runs it holds nothing. */
const SIZE = { memoryMb: 512 };

export const handler = createHandler({
  fresh: dynamoFreshFacts(),
  manifests: dynamoManifests(),
  writer: duckdbFactWriter(s3FactObjectWriter(), { size: SIZE }),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/compact-facts' }),
});
