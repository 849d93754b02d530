import { setTimeout as delay } from 'node:timers/promises';
import { createDynamoLeadDeliveriesEraser } from '../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { createDynamoFunnelHistoryRepository } from '../../../shared/funnels/aws/dynamo-funnel-history-repository.ts';
import { createDynamoLeadErasureRepository } from '../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import { createDynamoUnfilteredLeadIndexReader } from '../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import { createDynamoLeadNoticesEraser } from '../../../shared/notifications/aws/dynamo-lead-notices-eraser.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import type { EraseLeadPorts } from '../../../shared/privacy/erase-lead.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import { createS3FileStore } from '../../../shared/uploads/aws/s3-file-store.ts';
import type { UploadRepository } from '../../../shared/uploads/ports.ts';
import { UserError } from '../../common/user-error.ts';
import { leadsClient } from '../leads/dependencies.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { type FindPersonPorts, findPerson, type PersonMatches, type PersonSubject } from './find-person.ts';

export type FindPersonInput = {
  orgId: string;
  subject: PersonSubject;
  /** The only funnel to search. Always set if `subject` is a lead. */
  funnelId?: string | undefined;
};

/** @param indexDelayMs how long a write may take to be visible in an index */
export const findPersonPorts = (indexDelayMs: number): FindPersonPorts => ({
  funnels: createDynamoFunnelHistoryRepository(),
  index: createDynamoUnfilteredLeadIndexReader(leadsClient()),
  waitForIndex: () => delay(indexDelayMs),
});

export const createEraseLeadPorts = (): EraseLeadPorts & { uploads: UploadRepository } => ({
  leads: createDynamoLeadErasureRepository(),
  deliveries: createDynamoLeadDeliveriesEraser(),
  notifications: createDynamoLeadNoticesEraser(),
  uploads: createDynamoUploadRepository(),
  files: createS3FileStore(),
  clock,
});

/**
 * Returns the ids of all funnels of the organization. If `only` is given, returns this id alone.
 *
 * @throws UserError if the organization or funnel is unknown
 */
export async function requireFunnelIds(
  { funnels }: Pick<FindPersonPorts, 'funnels'>,
  orgId: string,
  only?: string,
): Promise<string[]> {
  await requireOrganization(orgId);
  const all = await funnels.listFunnelIds(orgId);
  if (only === undefined) return [...all].sort();
  if (!all.includes(only)) throw new UserError(`The organization has no funnel ${only}: see "funnels list".`);
  return [only];
}

/** Finds the person's leads in each funnel. @throws UserError if the organization or the funnel is unknown */
export const requireMatches = async (
  ports: FindPersonPorts,
  { orgId, funnelId, subject }: FindPersonInput,
): Promise<PersonMatches[]> => findPerson(ports, await requireFunnelIds(ports, orgId, funnelId), subject);
