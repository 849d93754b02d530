import { unbindPage } from '../../../shared/domains/bind-page.ts';
import { dynamoDomains } from '../../../shared/domains/dynamo-domains.ts';
import { dynamoPageBindings } from '../../../shared/domains/dynamo-page-bindings.ts';
import { removeParts } from '../../../shared/landing-pages/dynamo-due-attempts.ts';
import { dynamoPageDesk } from '../../../shared/landing-pages/dynamo-page-desk.ts';
import { dynamoPageWrites, dynamoTombstones } from '../../../shared/landing-pages/dynamo-page-writes.ts';
import { dynamoPages } from '../../../shared/landing-pages/dynamo-pages.ts';
import { dynamoSharedFiles } from '../../../shared/landing-pages/dynamo-shared-files.ts';
import type { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import type { RemovePorts } from '../../../shared/landing-pages/remove-page.ts';
import { s3PageLeftovers } from '../../../shared/landing-pages/s3-page-leftovers.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { FriendlyError } from '../../local/friendly-error.ts';
import { organizationOf } from '../organizations/store.ts';
import { recordsClient } from '../records-client.ts';

/** Pages, once connected. */
export const pageDesk = () => dynamoPageDesk(recordsClient());

/** @throws FriendlyError when the organization has no such page */
export async function pageOf(orgId: string, pageId: string): Promise<LandingPage> {
  await organizationOf(orgId);
  const page = await dynamoPages().find(orgId, pageId);
  if (page === undefined) throw new FriendlyError(`The organization has no page ${pageId}.`);
  return page;
}

export const removalPorts = (): RemovePorts => ({
  writes: dynamoPageWrites(),
  tombstones: dynamoTombstones(),
  shared: dynamoSharedFiles(),
  leftovers: { ...s3PageLeftovers, removeParts },
  removeRecord: pageDesk().removeRecord,
  unbind,
  clock: systemClock,
});

async function unbind({ orgId, id, domainId }: LandingPage): Promise<void> {
  if (domainId === null) return;
  const domains = dynamoDomains();
  const domain = await domains.find({ orgId, domainId });
  // The removal of a domain unbinds its pages itself.
  if (domain === undefined || domain.status === 'removing') return;
  await unbindPage({ domains, pages: dynamoPageBindings(), clock: systemClock }, { orgId, domainId }, id);
}
