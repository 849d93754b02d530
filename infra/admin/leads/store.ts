import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoFunnels } from '../../../shared/directory/dynamo-funnels.ts';
import type { Field } from '../../../shared/directory/funnel.ts';
import { dynamoLeadIndex } from '../../../shared/leads/dynamo-lead-index.ts';
import type { LeadIndex } from '../../../shared/leads/lead-index.ts';
import { FriendlyError } from '../../local/friendly-error.ts';

/** Time for batches of 16 MB over an office's line. */
const PATIENT = { connectionTimeout: 3_000, requestTimeout: 60_000, throwOnRequestTimeout: true };
const ATTEMPTS_MAX = 5;

export type FunnelLeads = {
  funnelId: string;
  /** Of the published version. */
  fields: readonly Field[];
  index: LeadIndex;
};

/** The leads of a funnel, once connected. @throws FriendlyError when there is no such funnel */
export async function leadsOf(funnelId: string): Promise<FunnelLeads> {
  const funnels = dynamoFunnels();
  const funnel = await funnels.find(funnelId);
  if (funnel === undefined) throw new FriendlyError(`There is no funnel ${funnelId}.`);
  const version = await funnels.version(funnel);
  return { funnelId, fields: version?.fields ?? [], index: dynamoLeadIndex(leadsClient()) };
}

/** A client that reads leads by the thousand, once connected. */
export function leadsClient(): DynamoDBClient {
  const client = new DynamoDBClient({ maxAttempts: ATTEMPTS_MAX, requestHandler: PATIENT, cacheMiddleware: true });
  // It copies every answer for a log that is not kept, a sixth of an export's time.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
