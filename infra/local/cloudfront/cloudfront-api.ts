import { randomUUID } from 'node:crypto';
import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import type * as z from 'zod/mini';
import type { StandInRequest, StandInResponse } from '../common/stand-in-http.ts';
import { CONNECTION_GROUP, EDGE_DISTRIBUTION, ROUTING_ENDPOINT } from './settings.ts';
import type { EdgeState, Tenant } from './state.ts';
import {
  CloudFrontError,
  computeETag,
  createTenant,
  deleteTenant,
  getManagedCertificate,
  getTenant,
  isActive,
  isDeployed,
  NewTenant,
  TenantChange,
  tenantArn,
  updateTenant,
} from './tenants.ts';

const NAMESPACE = 'http://cloudfront.amazonaws.com/doc/2020-05-31/';

const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false, processEntities: true });
const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@' });

type Operation = { name: string; run(world: EdgeState, asked: StandInRequest, id: string): StandInResponse };

const ROUTES: readonly [method: string, path: RegExp, operation: Operation][] = [
  ['POST', /^\/2020-05-31\/distribution-tenant$/, { name: 'CreateDistributionTenant', run: create }],
  ['GET', /^\/2020-05-31\/distribution-tenant\/([^/]+)$/, { name: 'GetDistributionTenant', run: show }],
  ['PUT', /^\/2020-05-31\/distribution-tenant\/([^/]+)$/, { name: 'UpdateDistributionTenant', run: change }],
  ['DELETE', /^\/2020-05-31\/distribution-tenant\/([^/]+)$/, { name: 'DeleteDistributionTenant', run: remove }],
  ['GET', /^\/2020-05-31\/managed-certificate\/([^/]+)$/, { name: 'GetManagedCertificateDetails', run: certificate }],
  ['GET', /^\/2020-05-31\/connection-group\/([^/]+)$/, { name: 'GetConnectionGroup', run: connectionGroup }],
  ['GET', /^\/2020-05-31\/tagging$/, { name: 'ListTagsForResource', run: listTags }],
];

/** CloudFront's calls around distribution tenants (REST with XML, version 2020-05-31). Undefined: another path. */
export function matchCloudFrontOperation(
  asked: StandInRequest,
): { name: string; run(world: EdgeState): StandInResponse } | undefined {
  for (const [method, path, { name, run }] of ROUTES) {
    const match = path.exec(asked.path);
    if (match === null || method !== asked.method) continue;
    return { name, run: (world) => refusing(() => run(world, asked, decoded(match[1]))) };
  }
  return undefined;
}

function refusing(run: () => StandInResponse): StandInResponse {
  try {
    return run();
  } catch (error) {
    if (error instanceof CloudFrontError) return cloudFrontErrorResponse(error.status, error.code, error.message);
    throw error;
  }
}

/** An error as CloudFront writes it. */
export function cloudFrontErrorResponse(status: number, code: string, message: string): StandInResponse {
  const fault = { Type: status < 500 ? 'Sender' : 'Receiver', Code: code, Message: message };
  return xml(status, 'ErrorResponse', { Error: fault, RequestId: randomUUID() });
}

function create(world: EdgeState, asked: StandInRequest): StandInResponse {
  const tenant = createTenant(world, parsed(asked.body, 'CreateDistributionTenantRequest', NewTenant));
  const location = `/2020-05-31/distribution-tenant/${tenant.id}`;
  return withTenant(world, tenant, 201, { Location: location });
}

function show(world: EdgeState, _: StandInRequest, identifier: string): StandInResponse {
  return withTenant(world, getTenant(world, identifier));
}

function change(world: EdgeState, asked: StandInRequest, id: string): StandInResponse {
  const request = parsed(asked.body, 'UpdateDistributionTenantRequest', TenantChange);
  return withTenant(world, updateTenant(world, { id, ifMatch: asked.headers['if-match'] }, request));
}

function remove(world: EdgeState, asked: StandInRequest, id: string): StandInResponse {
  deleteTenant(world, { id, ifMatch: asked.headers['if-match'] });
  return { status: 204, headers: {}, body: '' };
}

function certificate(world: EdgeState, _: StandInRequest, identifier: string): StandInResponse {
  const { arn, status } = getManagedCertificate(world, identifier);
  const details = { CertificateArn: arn, CertificateStatus: status, ValidationTokenHost: 'cloudfront' };
  return xml(200, 'ManagedCertificateDetails', details);
}

function connectionGroup(_: EdgeState, __: StandInRequest, id: string): StandInResponse {
  if (id !== CONNECTION_GROUP)
    return cloudFrontErrorResponse(404, 'EntityNotFound', 'The connection group is not there.');
  const group = { Id: id, Name: 'local', RoutingEndpoint: ROUTING_ENDPOINT, Enabled: true, IsDefault: true };
  return xml(200, 'ConnectionGroup', { ...group, Status: 'Deployed' }, { ETag: 'ELOCALGROUP' });
}

function listTags(world: EdgeState, { url }: StandInRequest): StandInResponse {
  const { tags } = getTenant(world, new URL(url, 'http://edge').searchParams.get('Resource') ?? '');
  return xml(200, 'Tags', { Items: { Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) } });
}

function withTenant(
  world: EdgeState,
  tenant: Tenant,
  status = 200,
  headers: Record<string, string> = {},
): StandInResponse {
  const { id, name, domain, enabled, certificateArn, createdAtMs, changedAtMs } = tenant;
  const body = {
    ...{ Id: id, DistributionId: EDGE_DISTRIBUTION, Name: name, Arn: tenantArn(id) },
    Domains: { member: [{ Domain: domain, Status: isActive(world, tenant) ? 'active' : 'inactive' }] },
    ...(certificateArn && { Customizations: { Certificate: { Arn: certificateArn } } }),
    ConnectionGroupId: CONNECTION_GROUP,
    CreatedTime: new Date(createdAtMs).toISOString(),
    LastModifiedTime: new Date(changedAtMs).toISOString(),
    Enabled: enabled,
    Status: isDeployed(world, tenant) ? 'Deployed' : 'InProgress',
  };
  return xml(status, 'DistributionTenant', body, { ...headers, ETag: computeETag(world, tenant) });
}

function xml(status: number, root: string, body: object, headers: Record<string, string> = {}): StandInResponse {
  const text = builder.build({ [root]: { '@xmlns': NAMESPACE, ...body } });
  return {
    status,
    headers: { 'Content-Type': 'text/xml', ...headers },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${text}`,
  };
}

function parsed<T>(body: string, root: string, schema: z.ZodMiniType<T>): T {
  const { data } = schema.safeParse(withLists(requestIn(body, root)));
  if (data === undefined) throw new CloudFrontError(400, 'InvalidArgument', 'The request is not valid.');
  return data;
}

function requestIn(body: string, root: string): Record<string, unknown> {
  try {
    return parser.parse(body, true)[root] ?? {};
  } catch {
    throw new CloudFrontError(400, 'MalformedInput', 'The body is not XML.');
  }
}

/** XML does not tell a list of one from its member. */
function withLists(request: Record<string, unknown>): Record<string, unknown> {
  const { Domains: domains, Tags: tags } = request as {
    Domains?: { member?: unknown };
    Tags?: { Items?: { Tag?: unknown } };
  };
  return { ...request, Domains: [domains?.member ?? []].flat(), Tags: [tags?.Items?.Tag ?? []].flat() };
}

function decoded(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return '';
  }
}
