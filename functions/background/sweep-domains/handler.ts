import { createDynamoDomainDeliveriesEraser } from '../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { getConfiguredCdnProvider } from '../../../shared/domains/aws/configured-cdn-provider.ts';
import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createDynamoHostnameRepository } from '../../../shared/domains/aws/dynamo-hostname-repository.ts';
import { type DomainSweepPorts, sweepDomains } from '../../../shared/domains/sweep-domains.ts';
import { createDynamoPageBindingRepository } from '../../../shared/landing-pages/aws/dynamo-page-binding-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createJsonLogger } from '../../../shared/platform/logger.ts';

/** If a domain could not be processed, the run fails at the end, so that its alarm fires. A later run retries. */
export const createHandler = (ports: DomainSweepPorts) => async (): Promise<void> => {
  const counts = await sweepDomains(ports);
  for (const [swept, count] of counts) ports.log.recordMetric(`Domains_${swept}`, count);
  const failures = counts.get('failed') ?? 0;
  if (failures > 0)
    throw new Error(`Number of domains that could not be processed: ${failures}. A later run retries them.`);
};

export const handler = createHandler({
  domains: createDynamoDomainRepository(),
  hostnames: createDynamoHostnameRepository(),
  pages: createDynamoPageBindingRepository(),
  deliveries: createDynamoDomainDeliveriesEraser(),
  edge: getConfiguredCdnProvider,
  clock: systemClock,
  log: createJsonLogger({ function: 'background/sweep-domains' }),
});
