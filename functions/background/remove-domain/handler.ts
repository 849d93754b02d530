import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { configuredEdge } from '../../../shared/domains/configured-edge.ts';
import { dynamoDomains } from '../../../shared/domains/dynamo-domains.ts';
import { dynamoHostnames } from '../../../shared/domains/dynamo-hostnames.ts';
import { dynamoPageBindings } from '../../../shared/domains/dynamo-page-bindings.ts';
import { type RemovalPorts, removeDomain } from '../../../shared/domains/remove-domain.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { jsonLog, type LogOf } from '../../../shared/platform/log.ts';

const Asked = z.object({ orgId: z.guid(), domainId: z.guid(), requestId: z.optional(z.string()) });

/** A step that fails or takes its time is a state, which the sweeper goes on from: this fails only where none was kept. */
export const createHandler =
  ({ logOf, ...ports }: Omit<RemovalPorts, 'log'> & { logOf: LogOf }) =>
  async (event: unknown, context: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const { requestId = context.awsRequestId, ...ids } = Asked.parse(event);
    const log = logOf(requestId);
    const removed = await removeDomain({ ...ports, log }, ids);
    log.count(`DomainRemovals_${removed}`);
  };

export const handler = createHandler({
  domains: dynamoDomains(),
  hostnames: dynamoHostnames(),
  pages: dynamoPageBindings(),
  edge: configuredEdge,
  clock: systemClock,
  logOf: (requestId) => jsonLog({ function: 'background/remove-domain', requestId }),
});
