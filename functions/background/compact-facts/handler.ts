import type { Context } from 'aws-lambda';
import { logFunnelResults } from '../../../shared/analytics/compaction/log-funnel-results.ts';
import {
  type MinorCompactionPorts,
  runMinorCompactions,
} from '../../../shared/analytics/compaction/minor-compaction.ts';
import { createDynamoFreshFactRepository } from '../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestRepository } from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createS3FactObjectWriter } from '../../../shared/analytics/facts/aws/s3-fact-objects.ts';
import { createDuckDbFactWriter } from '../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails in the end when a funnel failed, so that the scheduler's alarm sees it; the next run tries again. */
export const createHandler =
  (ports: MinorCompactionPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const compactions = await runMinorCompactions(ports, {
      remainingMs: () => context.getRemainingTimeInMillis(),
      backlog: (oldestWaitMs) =>
        ports.log.recordMetric('FreshFacts_oldestWaitSeconds', oldestWaitMs / 1_000, 'Seconds'),
    });
    logFunnelResults(ports.log, 'compacted', compactions);
  };

/** Facts and their sorted copy, however long their texts; between two runs it holds nothing. */
const SIZE = { memoryMb: 512 };

export const handler = createHandler({
  fresh: createDynamoFreshFactRepository(),
  manifests: createDynamoManifestRepository(),
  writer: createDuckDbFactWriter(createS3FactObjectWriter(), { size: SIZE }),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/compact-facts' }),
});
