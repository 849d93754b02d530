import { recordsClient } from '../environment/records-client.ts';
import { createDynamoFunnelAdminRepository } from './dynamo-funnel-admin.ts';
import type { FunnelAdminRepository } from './funnel-admin.ts';

/** Funnels, once connected. */
export const funnelsDesk = (): FunnelAdminRepository => createDynamoFunnelAdminRepository(recordsClient());
