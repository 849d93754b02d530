import { dynamoFunnelsDesk } from '../../../shared/directory/dynamo-funnels-desk.ts';
import type { FunnelsDesk } from '../../../shared/directory/funnels-desk.ts';
import { recordsClient } from '../records-client.ts';

/** Funnels, once connected. */
export const funnelsDesk = (): FunnelsDesk => dynamoFunnelsDesk(recordsClient());
