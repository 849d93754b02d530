import { createDynamoFunnelHistoryRepository } from '../../../shared/funnels/aws/dynamo-funnel-history-repository.ts';
import { createDynamoFunnelAdminRepository } from './dynamo-funnel-admin-repository.ts';
import type { FunnelRecord } from './funnel-admin.ts';

export const funnelRepository = () => createDynamoFunnelAdminRepository();

/** A listed funnel. `funnel` is undefined if the command that created the funnel was interrupted. */
export type ListedFunnel = { id: string; funnel: FunnelRecord | undefined };

const READ_CONCURRENCY = 25;

/** Lists the funnels of an organization, newest first. Funnels whose creation was interrupted come last. */
export async function listFunnels(orgId: string): Promise<ListedFunnel[]> {
  const repository = funnelRepository();
  const ids = await createDynamoFunnelHistoryRepository().listFunnelIds(orgId);
  const found: ListedFunnel[] = [];
  for (let at = 0; at < ids.length; at += READ_CONCURRENCY) {
    const batch = ids.slice(at, at + READ_CONCURRENCY);
    found.push(...(await Promise.all(batch.map(async (id) => ({ id, funnel: await repository.find(id) })))));
  }
  const order = ({ id, funnel }: ListedFunnel) => `${funnel?.createdAt ?? ''} ${id}`;
  return found.sort((one, other) => (order(one) > order(other) ? -1 : 1));
}
