import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { getConfiguredCdnProvider } from '../../../shared/domains/aws/configured-cdn-provider.ts';
import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createDynamoHostnameRepository } from '../../../shared/domains/aws/dynamo-hostname-repository.ts';
import { type RunRemovalPorts, runRemoval } from '../../../shared/domains/run-removal.ts';
import { createDynamoPageBindingRepository } from '../../../shared/landing-pages/aws/dynamo-page-binding-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { jsonLog, type LogOf } from '../../../shared/platform/log.ts';

const Asked = z.object({ orgId: z.guid(), domainId: z.guid(), requestId: z.optional(z.string()) });

/** A step that fails or takes its time is a state, which the sweeper goes on from: this fails only where none was kept. */
export const createHandler =
  ({ logOf, ...ports }: Omit<RunRemovalPorts, 'log'> & { logOf: LogOf }) =>
  async (event: unknown, context: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const { requestId = context.awsRequestId, ...ids } = Asked.parse(event);
    const log = logOf(requestId);
    const removed = await runRemoval({ ...ports, log }, ids);
    log.count(`DomainRemovals_${removed}`);
  };

export const handler = createHandler({
  domains: createDynamoDomainRepository(),
  hostnames: createDynamoHostnameRepository(),
  pages: createDynamoPageBindingRepository(),
  edge: getConfiguredCdnProvider,
  clock: systemClock,
  logOf: (requestId) => jsonLog({ function: 'background/remove-domain', requestId }),
});
