import { createDynamoLeaseRepository } from '../../../platform/aws/dynamo-lease.ts';
import { createLeasePorts, type LeasePorts } from '../../../platform/lease.ts';

/** One lease for all funnels, because a raw event file holds events of several funnels. */
export const createDynamoRewriteLease = () =>
  createDynamoLeaseRepository('analyticsTable', { pk: 'upkeep', sk: 'turn' });

/**
 * The lease of raw events and dead letters. Work that rewrites them needs the lease. Work that reads all of them also
 * needs it, so that they do not change meanwhile.
 */
export const createRewriteLeasePorts = (): LeasePorts => createLeasePorts(createDynamoRewriteLease());
