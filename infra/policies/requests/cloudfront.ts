import * as z from 'zod/mini';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, operationOf, pathAndQuery, UnknownRequest } from './aws-request.ts';

const cloudFront = (resource: string) =>
  `arn:${PSEUDO_PARAMETERS.partition}:cloudfront::${PSEUDO_PARAMETERS.account}:${resource}`;
const tenantArn = (id: string) => cloudFront(`distribution-tenant/${id}`);

const READS: Readonly<Record<string, [action: string, kind: string]>> = {
  'distribution-tenant': ['GetDistributionTenant', 'distribution-tenant'],
  'managed-certificate': ['GetManagedCertificateDetails', 'distribution-tenant'],
  'connection-group': ['GetConnectionGroup', 'connection-group'],
};

/**
 * CloudFront's calls around distribution tenants. A tenant that is made or changed is judged with the distribution and
 * the connection group that it names, its tags and the certificate that CloudFront asks ACM for in the caller's name
 * (the permissions that AWS::CloudFront::DistributionTenant lists for its handlers).
 */
export function cloudFrontPermissions(request: AwsRequest): RequiredPermission[] {
  const { path } = pathAndQuery(request);
  const [, kind = '', id] = /^\/2020-05-31\/([\w-]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const name = id === undefined ? undefined : decodeURIComponent(id);
  const [action, of] = READS[kind] ?? [];
  if (request.method === 'GET' && name !== undefined && action !== undefined) {
    return [{ action: `cloudfront:${action}`, resource: cloudFront(`${of}/${name}`) }];
  }
  if (kind !== 'distribution-tenant') throw new UnknownRequest(`CloudFront's ${request.method} ${path}`);
  if (request.method === 'POST' && name === undefined) return ofNewTenant(request.body);
  if (request.method === 'PUT' && name !== undefined) return ofChange(request.body, name);
  if (request.method === 'DELETE' && name !== undefined) {
    return [{ action: 'cloudfront:DeleteDistributionTenant', resource: tenantArn(name) }];
  }
  throw new UnknownRequest(`CloudFront's ${request.method} ${path}`);
}

/** It has no id yet. */
function ofNewTenant(body: string): RequiredPermission[] {
  const action = 'cloudfront:CreateDistributionTenant';
  const isTagged = /<Tags>.*<Key>/s.test(body);
  const wantsCertificate = body.includes('<ManagedCertificateRequest>');
  return [
    ...[tenantArn('*'), ...associated(body)].map((resource) => ({ action, resource })),
    ...(isTagged ? [{ action: 'cloudfront:TagResource', resource: tenantArn('*') }] : []),
    ...(wantsCertificate ? [requestCertificate(body)] : []),
  ];
}

function ofChange(body: string, id: string): RequiredPermission[] {
  const action = 'cloudfront:UpdateDistributionTenant';
  const certificate = textOf(body, 'Arn');
  return [
    ...[tenantArn(id), ...associated(body)].map((resource) => ({ action, resource })),
    ...(certificate === undefined ? [] : [{ action: 'acm:DescribeCertificate', resource: certificate }]),
    ...(body.includes('<ManagedCertificateRequest>') ? [requestCertificate(body)] : []),
  ];
}

const requestCertificate = (body: string): RequiredPermission => ({
  action: 'acm:RequestCertificate',
  resource: '*',
  // Whether CloudFront or the hostname's own server answers ACM's question, it is asked by HTTP.
  context: { 'acm:validationmethod': textOf(body, 'ValidationTokenHost') === undefined ? 'DNS' : 'HTTP' },
});

const associated = (body: string): string[] => {
  const [distribution, group] = [textOf(body, 'DistributionId'), textOf(body, 'ConnectionGroupId')];
  return [
    ...(distribution === undefined ? [] : [cloudFront(`distribution/${distribution}`)]),
    ...(group === undefined ? [] : [cloudFront(`connection-group/${group}`)]),
  ];
};

const textOf = (body: string, tag: string): string | undefined =>
  new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(body)?.[1];

const OnCertificate = z.object({ CertificateArn: z.string() });
const ON_CERTIFICATE: ReadonlySet<string> = new Set(['DeleteCertificate', 'DescribeCertificate']);

export function acmPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationOf(request);
  if (!ON_CERTIFICATE.has(operation)) throw new UnknownRequest(`ACM's ${operation}`);
  const { CertificateArn: resource } = OnCertificate.parse(JSON.parse(request.body));
  return [{ action: `acm:${operation}`, resource }];
}
