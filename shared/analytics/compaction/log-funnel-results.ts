import type { Logger } from '../../platform/logger.ts';

type Outcome = { funnelId: string } & ({ outcome: 'failed'; cause: unknown } | { outcome: string });

/**
 * Logs the result of each funnel.
 *
 * @throws AggregateError when a funnel failed, so that the Lambda function fails and its alarm is raised
 */
export function logFunnelResults(
  log: Pick<Logger, 'info' | 'error'>,
  work: string,
  outcomes: readonly Outcome[],
): void {
  const causes: unknown[] = [];
  for (const outcome of outcomes) {
    if ('cause' in outcome) {
      log.error(`${work} failed.`, outcome.cause, { funnelId: outcome.funnelId });
      causes.push(outcome.cause);
    } else log.info(`${work} ended.`, outcome);
  }
  if (causes.length > 0)
    throw new AggregateError(causes, `${work} failed. Failed funnels: ${causes.length}. Each has a log line.`);
}
