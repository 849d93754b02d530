import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { createDynamoDomainDeliveriesEraser } from '../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { getConfiguredCdnProvider } from '../../../shared/domains/aws/configured-cdn-provider.ts';
import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createDynamoHostnameRepository } from '../../../shared/domains/aws/dynamo-hostname-repository.ts';
import { type RunRemovalPorts, runRemoval } from '../../../shared/domains/run-removal.ts';
import { createDynamoPageBindingRepository } from '../../../shared/landing-pages/aws/dynamo-page-binding-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger, type LoggerForRequest } from '../../../shared/platform/logger.ts';

const RunRemovalEvent = z.object({ orgId: z.guid(), domainId: z.guid(), requestId: z.optional(z.string()) });

/** A failed or slow step does not fail the invocation, because the sweeper continues the removal. */
export const createHandler =
  ({ createLog, ...ports }: Omit<RunRemovalPorts, 'log'> & { createLog: LoggerForRequest }) =>
  async (event: unknown, context: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const { requestId = context.awsRequestId, ...ids } = RunRemovalEvent.parse(event);
    const log = createLog(requestId);
    const removed = await runRemoval({ ...ports, log }, ids);
    log.recordMetric(`DomainRemovals_${removed}`);
  };

export const handler = createHandler({
  domains: createDynamoDomainRepository(),
  hostnames: createDynamoHostnameRepository(),
  pages: createDynamoPageBindingRepository(),
  deliveries: createDynamoDomainDeliveriesEraser(),
  edge: getConfiguredCdnProvider,
  clock: systemClock,
  createLog: (requestId) => createJsonLogger({ function: 'background/remove-domain', requestId }),
});
