import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoFunnelRepository } from '../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { Field } from '../../../shared/funnels/funnel.ts';
import { createDynamoLeadIndexReader } from '../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import type { LeadIndexReader } from '../../../shared/leads/ports.ts';
import { UserError } from '../../common/user-error.ts';

/** Time for batches of 16 MB over an office's line. */
const PATIENT = { connectionTimeout: 3_000, requestTimeout: 60_000, throwOnRequestTimeout: true };
const ATTEMPTS_MAX = 5;

export type FunnelLeads = {
  funnelId: string;
  /** Of the published version. */
  fields: readonly Field[];
  index: LeadIndexReader;
};

/** The leads of a funnel, once connected. @throws FriendlyError when there is no such funnel */
export async function leadsOf(funnelId: string): Promise<FunnelLeads> {
  const funnels = createDynamoFunnelRepository();
  const funnel = await funnels.find(funnelId);
  if (funnel === undefined) throw new UserError(`There is no funnel ${funnelId}.`);
  const version = await funnels.findVersion(funnel);
  return { funnelId, fields: version?.fields ?? [], index: createDynamoLeadIndexReader(leadsClient()) };
}

/** A client that reads leads by the thousand, once connected. */
export function leadsClient(): DynamoDBClient {
  const client = new DynamoDBClient({ maxAttempts: ATTEMPTS_MAX, requestHandler: PATIENT, cacheMiddleware: true });
  // It copies every answer for a log that is not kept, a sixth of an export's time.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
