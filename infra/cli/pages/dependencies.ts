import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createAwsPageDeleter } from '../../../shared/landing-pages/aws/aws-page-deleter.ts';
import { createDynamoAssetReferenceRepository } from '../../../shared/landing-pages/aws/dynamo-asset-reference-repository.ts';
import { createDynamoPageBindingRepository } from '../../../shared/landing-pages/aws/dynamo-page-binding-repository.ts';
import { createDynamoPageRepository } from '../../../shared/landing-pages/aws/dynamo-page-repository.ts';
import {
  createDynamoPageTombstoneRepository,
  createDynamoPageWriter,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import type { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { unbindPage } from '../domains/bind-page.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { createDynamoPageAdminRepository } from './dynamo-page-admin-repository.ts';
import type { RemovePagePorts } from './remove-page.ts';

export const pageRepository = () => createDynamoPageAdminRepository();

/** @throws UserError if the organization or the page does not exist */
export async function requirePage(orgId: string, pageId: string): Promise<LandingPage> {
  await requireOrganization(orgId);
  const page = await createDynamoPageRepository().find(orgId, pageId);
  if (page === undefined) throw new UserError(`The organization has no page ${pageId}: see "pages list".`);
  return page;
}

export const removalPorts = (): RemovePagePorts => ({
  writes: createDynamoPageWriter(),
  tombstones: createDynamoPageTombstoneRepository(),
  assetReferences: createDynamoAssetReferenceRepository(),
  deleter: createAwsPageDeleter(),
  deleteRecord: pageRepository().deleteRecord,
  unbind,
  clock: systemClock,
});

async function unbind({ orgId, id, domainId }: LandingPage): Promise<void> {
  if (domainId === null) return;
  const domains = createDynamoDomainRepository();
  const domain = await domains.find({ orgId, domainId });
  // Nothing to do, because the removal of the domain unbinds, or has unbound, all pages of the domain.
  if (domain === undefined || domain.status === 'removing') return;
  const ports = { domains, pages: createDynamoPageBindingRepository(), clock: systemClock };
  await unbindPage(ports, { orgId, domainId }, id);
}
