import { getConfiguredCdnProvider } from '../../../shared/domains/aws/configured-cdn-provider.ts';
import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createDynamoHostnameRepository } from '../../../shared/domains/aws/dynamo-hostname-repository.ts';
import { type DomainSweepPorts, sweepDomains } from '../../../shared/domains/sweep-domains.ts';
import { createDynamoPageBindingRepository } from '../../../shared/landing-pages/aws/dynamo-page-binding-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';

/** Fails in the end when a domain could not be looked after, so that the alarm sees it; it is tried again by itself. */
export const createHandler = (ports: DomainSweepPorts) => async (): Promise<void> => {
  const counts = await sweepDomains(ports);
  for (const [swept, count] of counts) ports.log.recordMetric(`Domains_${swept}`, count);
  const troubled = (counts.get('broken') ?? 0) + (counts.get('failed') ?? 0);
  if (troubled > 0) throw new Error(`${troubled} domains could not be looked after.`);
};

export const handler = createHandler({
  domains: createDynamoDomainRepository(),
  hostnames: createDynamoHostnameRepository(),
  pages: createDynamoPageBindingRepository(),
  edge: getConfiguredCdnProvider,
  clock: systemClock,
  log: createJsonLogger({ function: 'background/sweep-domains' }),
});
