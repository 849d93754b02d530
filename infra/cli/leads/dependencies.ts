import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoFunnelHistoryRepository } from '../../../shared/funnels/aws/dynamo-funnel-history-repository.ts';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { Field } from '../../../shared/funnels/funnel.ts';
import { createDynamoLeadIndexReader } from '../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import { UserError } from '../../common/user-error.ts';
import { PATIENT_CLIENT } from '../environment/record-table.ts';
import type { SearchPorts } from './search.ts';

export type FunnelLeads = {
  funnelId: string;
  /** Fields of the last published version; empty if no version was ever published. */
  fields: readonly Field[];
  index: LeadIndexReader;
};

/** @throws UserError if there is no such funnel */
export async function requireFunnelLeads(funnelId: string): Promise<FunnelLeads> {
  const funnels = createDynamoFunnelRepository();
  const funnel = await funnels.find(funnelId);
  if (funnel === undefined) throw new UserError(`There is no funnel ${funnelId}: see "funnels list".`);
  const version = await funnels.findVersion(funnel);
  return { funnelId, fields: version?.fields ?? [], index: createDynamoLeadIndexReader(leadsClient()) };
}

export const searchPorts = (): SearchPorts => ({
  funnels: createDynamoFunnelHistoryRepository(),
  index: createDynamoLeadIndexReader(leadsClient()),
});

export function leadsClient(): DynamoDBClient {
  const client = new DynamoDBClient({ ...PATIENT_CLIENT, cacheMiddleware: true });
  // This middleware copies every response for a log that is not written. The copies take a sixth of an export's time.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
