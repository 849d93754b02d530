import { GetConnectionGroupCommand, GetManagedCertificateDetailsCommand } from '@aws-sdk/client-cloudfront';
import { CdnError } from '../cdn-provider.ts';
import { undefinedIfNotFound, unexpectedResponse } from './cloudfront-calls.ts';
import type { CloudFrontContext } from './cloudfront-tenants.ts';

/** `status` is a certificate status of CloudFront, for example `pending-validation`, `issued` or `failed`. */
export type Certificate = { arn: string; status: string | undefined };

/** Returns the certificate that was requested with the tenant, or undefined while there is none. */
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

/**
 * Returns the target of CNAME records.
 *
 * @param groupId the tenant's connection group; if undefined, the connection group of the settings is used
 * @throws CdnError if no connection group is known or the response is unexpected
 */
export async function getCnameTarget(
  { call, cloudFront, settings }: CloudFrontContext,
  groupId: string | undefined,
): Promise<string> {
  const id = groupId || settings.connectionGroupId;
  if (id === undefined) {
    throw new CdnError(
      'CloudFront did not report the tenant’s connection group. Deploy with -c edgeConnectionGroup=ID.',
    );
  }
  const { ConnectionGroup: group } = await call((options) =>
    cloudFront.send(new GetConnectionGroupCommand({ Identifier: id }), options),
  );
  if (!group?.RoutingEndpoint) throw unexpectedResponse('GetConnectionGroup', 'the routing endpoint');
  return group.RoutingEndpoint;
}
