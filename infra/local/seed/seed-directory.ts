import type * as z from 'zod/mini';
import type { FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { deriveUserId } from '../../../shared/organizations/user-id.ts';
import { FunnelRecord } from '../../cli/funnels/funnel-admin.ts';
import { demoVersion } from './demo-funnel.ts';
import { DEMO_IDS } from './demo-ids.ts';
import { createDirectoryWriter } from './directory-writer.ts';
import { PEOPLE } from './people.ts';

export const DEMO_ORGANIZATIONS = {
  a: { id: DEMO_IDS.organizationA, name: 'Northlight Solar', timezone: 'Europe/Berlin' },
  b: { id: DEMO_IDS.organizationB, name: 'Harbour Bicycles', timezone: 'UTC' },
} as const satisfies Record<string, z.input<typeof Organization>>;

const EMPTY_VERSION: FunnelVersion = { id: DEMO_IDS.emptyVersion, funnelId: DEMO_IDS.emptyFunnel, fields: [] };

/** Writes two organizations with members, and two published funnels of organization A. */
export async function seedDirectory(issuerUrl: string): Promise<void> {
  const writer = createDirectoryWriter();
  const publish = (version: FunnelVersion, name: string) => {
    const funnel = FunnelRecord.parse({
      id: version.funnelId,
      name,
      orgId: DEMO_IDS.organizationA,
      publishedVersionId: version.id,
    });
    return writer.publishFunnel(funnel, version);
  };
  const members = Object.values(PEOPLE).flatMap(({ subject, memberships }) =>
    memberships.map(({ organization, role }) =>
      writer.putMember(DEMO_ORGANIZATIONS[organization].id, deriveUserId(issuerUrl, subject), role),
    ),
  );
  await Promise.all([
    writer.putOrganization(Organization.parse(DEMO_ORGANIZATIONS.a)),
    writer.putOrganization(Organization.parse(DEMO_ORGANIZATIONS.b)),
    ...members,
    publish(demoVersion(), 'Solar check'),
    publish(EMPTY_VERSION, 'Any data'),
  ]);
}
