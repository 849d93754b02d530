import * as z from 'zod';
import { configuredEdge } from '../../../shared/domains/configured-edge.ts';
import { dynamoDomains } from '../../../shared/domains/dynamo-domains.ts';
import { dynamoHostnames } from '../../../shared/domains/dynamo-hostnames.ts';
import { dynamoPageBindings } from '../../../shared/domains/dynamo-page-bindings.ts';
import { type RemovalPorts, removeDomain } from '../../../shared/domains/remove-domain.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { jsonLog } from '../../../shared/platform/log.ts';

const Asked = z.object({ orgId: z.guid(), domainId: z.guid() });

/** A step that fails or takes its time is a state, which the sweeper goes on from: this fails only where none was kept. */
export const createHandler =
  (ports: RemovalPorts) =>
  async (event: unknown): Promise<void> => {
    const removed = await removeDomain(ports, Asked.parse(event));
    ports.log.count(`DomainRemovals_${removed}`);
  };

export const handler = createHandler({
  domains: dynamoDomains(),
  hostnames: dynamoHostnames(),
  pages: dynamoPageBindings(),
  edge: configuredEdge,
  clock: systemClock,
  log: jsonLog({ function: 'background/remove-domain' }),
});
