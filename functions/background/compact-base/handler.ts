import type { Context } from 'aws-lambda';
import { createDuckDbBaseRewriter } from '../../../shared/analytics/compaction/duckdb/duckdb-base-rewriter.ts';
import { logFunnelResults } from '../../../shared/analytics/compaction/log-funnel-results.ts';
import {
  type MajorCompactionPorts,
  runMajorCompactions,
} from '../../../shared/analytics/compaction/major-compaction.ts';
import { createDynamoManifestRepository } from '../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createS3FactFileReader, createS3FactFileWriter } from '../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails at the end if the compaction of a funnel failed, so that the function's alarm fires. The next run retries. */
export const createHandler =
  (ports: MajorCompactionPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const compactions = await runMajorCompactions(ports, {
      remainingMs: () => context.getRemainingTimeInMillis(),
      onLevel1Files: (filesMax) => ports.log.recordMetric('Facts_level1FilesMax', filesMax),
    });
    logFunnelResults(ports.log, 'A major compaction', compactions);
  };

export const handler = createHandler({
  manifests: createDynamoManifestRepository(),
  rewriter: createDuckDbBaseRewriter({ ...createS3FactFileReader(), ...createS3FactFileWriter() }),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/compact-base' }),
});
