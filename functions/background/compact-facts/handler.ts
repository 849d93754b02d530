import type { Context } from 'aws-lambda';
import { logFunnelResults } from '../../../shared/analytics/compaction/log-funnel-results.ts';
import {
  type MinorCompactionPorts,
  runMinorCompactions,
} from '../../../shared/analytics/compaction/minor-compaction.ts';
import { createDynamoFreshFactRepository } from '../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestRepository } from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createS3FactFileWriter } from '../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { createDuckDbFactWriter } from '../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails at the end if the compaction of a funnel failed, so that the function's alarm fires. The next run retries. */
export const createHandler =
  (ports: MinorCompactionPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const compactions = await runMinorCompactions(ports, {
      remainingMs: () => context.getRemainingTimeInMillis(),
      onOldestPending: (oldestAgeMs) =>
        ports.log.recordMetric('FreshFacts_oldestPendingSeconds', oldestAgeMs / 1_000, 'Seconds'),
    });
    logFunnelResults(ports.log, 'A minor compaction', compactions);
  };

/** Limits of DuckDB. The memory holds the facts of one file and a sorted copy of them, even with long texts. */
const SIZE = { memoryMb: 512 };

export const handler = createHandler({
  fresh: createDynamoFreshFactRepository(),
  manifests: createDynamoManifestRepository(),
  writer: createDuckDbFactWriter(createS3FactFileWriter(), { size: SIZE }),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/compact-facts' }),
});
