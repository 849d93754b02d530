import { GetConnectionGroupCommand, GetManagedCertificateDetailsCommand } from '@aws-sdk/client-cloudfront';
import { CdnError } from '../cdn-provider.ts';
import { undefinedIfNotFound, unexpectedResponse } from './cloudfront-calls.ts';
import type { CloudFrontContext } from './cloudfront-tenants.ts';

/** `status` as CloudFront names it: `pending-validation`, `issued`, `failed` … */
export type Certificate = { arn: string; status: string | undefined };

/** The certificate that was asked for with the tenant; undefined when there is none (yet). */
export async function findCertificate(
  { call, cloudFront }: CloudFrontContext,
  tenantId: string,
): Promise<Certificate | undefined> {
  const found = await undefinedIfNotFound(
    call((options) => cloudFront.send(new GetManagedCertificateDetailsCommand({ Identifier: tenantId }), options)),
  );
  const { CertificateArn: arn, CertificateStatus: status } = found?.ManagedCertificateDetails ?? {};
  return arn ? { arn, status } : undefined;
}

/** What CNAME records must name. @param groupId the connection group that the tenant names */
export async function getCnameTarget(
  { call, cloudFront, place }: CloudFrontContext,
  groupId: string | undefined,
): Promise<string> {
  const id = groupId || place.connectionGroupId;
  if (id === undefined) {
    throw new CdnError('CloudFront does not say what CNAME records must name. Set edgeConnectionGroup.');
  }
  const { ConnectionGroup: group } = await call((options) =>
    cloudFront.send(new GetConnectionGroupCommand({ Identifier: id }), options),
  );
  if (!group?.RoutingEndpoint) throw unexpectedResponse();
  return group.RoutingEndpoint;
}
