import * as z from 'zod/mini';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, operationName, splitTarget, UnknownRequest } from './aws-request.ts';

const cloudFrontArn = (resource: string) =>
  `arn:${PSEUDO_PARAMETERS.partition}:cloudfront::${PSEUDO_PARAMETERS.account}:${resource}`;
const tenantArn = (id: string) => cloudFrontArn(`distribution-tenant/${id}`);

/** Read actions by the part of the path that follows the API version. */
const READ_ACTIONS: Readonly<Record<string, [action: string, resourceType: string]>> = {
  'distribution-tenant': ['GetDistributionTenant', 'distribution-tenant'],
  'managed-certificate': ['GetManagedCertificateDetails', 'distribution-tenant'],
  'connection-group': ['GetConnectionGroup', 'connection-group'],
};

/**
 * Returns the permissions for CloudFront's operations on distribution tenants and for reading connection groups. To
 * create or update a tenant, callers also need permissions for the distribution, the connection group, tags and
 * certificates (handler permissions of AWS::CloudFront::DistributionTenant).
 */
export function cloudFrontPermissions(request: AwsRequest): RequiredPermission[] {
  const { path } = splitTarget(request);
  const [, pathType = '', encodedId] = /^\/2020-05-31\/([\w-]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const id = encodedId === undefined ? undefined : decodeURIComponent(encodedId);
  const [action, resourceType] = READ_ACTIONS[pathType] ?? [];
  if (request.method === 'GET' && id !== undefined && action !== undefined) {
    return [{ action: `cloudfront:${action}`, resource: cloudFrontArn(`${resourceType}/${id}`) }];
  }
  if (pathType !== 'distribution-tenant') throw new UnknownRequest(`CloudFront's ${request.method} ${path}`);
  if (request.method === 'POST' && id === undefined) return createTenantPermissions(request.body);
  if (request.method === 'PUT' && id !== undefined) return updateTenantPermissions(request.body, id);
  if (request.method === 'DELETE' && id !== undefined) {
    return [{ action: 'cloudfront:DeleteDistributionTenant', resource: tenantArn(id) }];
  }
  throw new UnknownRequest(`CloudFront's ${request.method} ${path}`);
}

/** The tenant's ARN has a wildcard, because the tenant has no id yet. */
function createTenantPermissions(body: string): RequiredPermission[] {
  const action = 'cloudfront:CreateDistributionTenant';
  const hasTags = /<Tags>.*<Key>/s.test(body);
  const requestsCertificate = body.includes('<ManagedCertificateRequest>');
  return [
    ...[tenantArn('*'), ...referencedArns(body)].map((resource) => ({ action, resource })),
    ...(hasTags ? [{ action: 'cloudfront:TagResource', resource: tenantArn('*') }] : []),
    ...(requestsCertificate ? [requestCertificatePermission(body)] : []),
  ];
}

function updateTenantPermissions(body: string, id: string): RequiredPermission[] {
  const action = 'cloudfront:UpdateDistributionTenant';
  const certificate = elementText(body, 'Arn');
  return [
    ...[tenantArn(id), ...referencedArns(body)].map((resource) => ({ action, resource })),
    ...(certificate === undefined ? [] : [{ action: 'acm:DescribeCertificate', resource: certificate }]),
    ...(body.includes('<ManagedCertificateRequest>') ? [requestCertificatePermission(body)] : []),
  ];
}

const requestCertificatePermission = (body: string): RequiredPermission => ({
  action: 'acm:RequestCertificate',
  resource: '*',
  // If the request names a host for the validation token, ACM validates over HTTP. The host's value doesn't matter.
  context: { 'acm:validationmethod': elementText(body, 'ValidationTokenHost') === undefined ? 'DNS' : 'HTTP' },
});

const referencedArns = (body: string): string[] => {
  const [distribution, group] = [elementText(body, 'DistributionId'), elementText(body, 'ConnectionGroupId')];
  return [
    ...(distribution === undefined ? [] : [cloudFrontArn(`distribution/${distribution}`)]),
    ...(group === undefined ? [] : [cloudFrontArn(`connection-group/${group}`)]),
  ];
};

const elementText = (body: string, tag: string): string | undefined =>
  new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(body)?.[1];

const CertificateRequest = z.object({ CertificateArn: z.string() });
const CERTIFICATE_OPERATIONS: ReadonlySet<string> = new Set(['DeleteCertificate', 'DescribeCertificate']);

export function acmPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationName(request);
  if (!CERTIFICATE_OPERATIONS.has(operation)) throw new UnknownRequest(`ACM's ${operation}`);
  const { CertificateArn: resource } = CertificateRequest.parse(JSON.parse(request.body));
  return [{ action: `acm:${operation}`, resource }];
}
