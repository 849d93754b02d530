import type { Context } from 'aws-lambda';
import { reportRuns } from '../../../shared/analytics/compaction/report-runs.ts';
import { s3SweptFacts } from '../../../shared/analytics/compaction/s3-swept-facts.ts';
import { type FactSweepPorts, sweepFacts } from '../../../shared/analytics/compaction/sweep-facts.ts';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { s3OldVersions } from '../../../shared/analytics/upkeep/s3-old-versions.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type Logger } from '../../../shared/platform/logger.ts';

/** Fails in the end when a funnel failed, so that the scheduler's alarm sees it; the next run tries again. */
export const createHandler =
  (ports: FactSweepPorts & { log: Logger }) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const sweeps = await sweepFacts(ports, { timeLeftMs: () => context.getRemainingTimeInMillis() });
    const sum = (of: 'removed' | 'orphans') =>
      sweeps.reduce((all, sweep) => all + (sweep.outcome === 'swept' ? sweep[of] : 0), 0);
    ports.log.recordMetric('FactFiles_removed', sum('removed'));
    ports.log.recordMetric('FactFiles_orphaned', sum('orphans'));
    reportRuns(ports.log, 'swept facts', sweeps);
  };

export const handler = createHandler({
  manifests: dynamoManifests(),
  files: s3SweptFacts(s3OldVersions('factsBucket')),
  clock: systemClock,
  log: createJsonLogger({ function: 'background/sweep-facts' }),
});
