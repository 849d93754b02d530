import { createDynamoLeaseRepository } from '../../../platform/aws/dynamo-lease.ts';
import { createLeasePorts, type LeasePorts } from '../../../platform/lease.ts';

/** One lease for all funnels, because a raw event file holds events of several funnels. */
export const createDynamoRewriteLease = () =>
  createDynamoLeaseRepository('analyticsTable', { pk: 'upkeep', sk: 'turn' });

/**
 * The lease for work that rewrites raw events or dead letters, and for work that reads all of them and needs them
 * unchanged meanwhile.
 */
export const createRewriteLeasePorts = (): LeasePorts => createLeasePorts(createDynamoRewriteLease());
