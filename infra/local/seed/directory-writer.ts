import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { funnelKey, organizationFunnelKey, uploadBlockKey, versionKey } from '../../../shared/funnels/aws/keys.ts';
import { CONSENT_FIELDS_MAX, type Funnel, type FunnelVersion } from '../../../shared/funnels/funnel.ts';
import type { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { memberKey, organizationKey, organizationListKey } from '../../../shared/organizations/aws/keys.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import type { PrimaryKey } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';

/** Creates a writer for items of the directory table, for demo data, operator commands and tests. */
export function createDirectoryWriter() {
  const put = async (at: PrimaryKey, item: object) => {
    await dynamoDocumentClient().send(
      new PutCommand({ TableName: requireSetting('directoryTable'), Item: { ...at, ...item } }),
    );
  };
  return {
    /** Writes the list entry first, so that every organization that exists is listed. */
    putOrganization: async (organization: Organization) => {
      await put(organizationListKey(organization.id), { orgId: organization.id });
      await put(organizationKey(organization.id), organization);
    },
    putMember: (orgId: string, userId: string, role: Role) => put(memberKey(orgId, userId), { orgId, userId, role }),
    putUploadBlock: (orgId: string, block: UploadBlock) => put(uploadBlockKey(orgId, block.id), block),
    /**
     * Writes the version first, so that the funnel never refers to a version that does not exist.
     *
     * @throws Error, before any write, if the version has more consents than a lead can keep
     */
    publishFunnel: async (funnel: Funnel, version: FunnelVersion) => {
      const consents = version.fields.filter(({ type }) => type === 'consent').length;
      if (consents > CONSENT_FIELDS_MAX) {
        throw new Error(
          `The version ${version.id} of the funnel ${funnel.id} declares ${consents} consents. The maximum is ${CONSENT_FIELDS_MAX}.`,
        );
      }
      await put(versionKey(funnel.id, version.id), version);
      await put(organizationFunnelKey(funnel.orgId, funnel.id), { orgId: funnel.orgId, funnelId: funnel.id });
      await put(funnelKey(funnel.id), funnel);
    },
  };
}
