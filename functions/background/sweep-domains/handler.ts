import { configuredEdge } from '../../../shared/domains/configured-edge.ts';
import { dynamoDomains } from '../../../shared/domains/dynamo-domains.ts';
import { dynamoHostnames } from '../../../shared/domains/dynamo-hostnames.ts';
import { dynamoPageBindings } from '../../../shared/domains/dynamo-page-bindings.ts';
import { type SweepPorts, sweepDomains } from '../../../shared/domains/sweep-domains.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { jsonLog } from '../../../shared/platform/log.ts';

/** Fails in the end when a domain could not be looked after, so that the alarm sees it; it is tried again by itself. */
export const createHandler = (ports: SweepPorts) => async (): Promise<void> => {
  const counts = await sweepDomains(ports);
  for (const [swept, count] of counts) ports.log.count(`Domains_${swept}`, count);
  const troubled = (counts.get('broken') ?? 0) + (counts.get('failed') ?? 0);
  if (troubled > 0) throw new Error(`${troubled} domains could not be looked after.`);
};

export const handler = createHandler({
  domains: dynamoDomains(),
  hostnames: dynamoHostnames(),
  pages: dynamoPageBindings(),
  edge: configuredEdge,
  clock: systemClock,
  log: jsonLog({ function: 'background/sweep-domains' }),
});
