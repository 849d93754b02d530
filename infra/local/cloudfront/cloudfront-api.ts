import { randomUUID } from 'node:crypto';
import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import * as z from 'zod/mini';
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

type Operation = { name: string; run(state: EdgeState, request: StandInRequest, id: string): StandInResponse };

const ROUTES: readonly [method: string, path: RegExp, operation: Operation][] = [
  ['POST', /^\/2020-05-31\/distribution-tenant$/, { name: 'CreateDistributionTenant', run: create }],
  ['GET', /^\/2020-05-31\/distribution-tenant\/([^/]+)$/, { name: 'GetDistributionTenant', run: get }],
  ['PUT', /^\/2020-05-31\/distribution-tenant\/([^/]+)$/, { name: 'UpdateDistributionTenant', run: update }],
  ['DELETE', /^\/2020-05-31\/distribution-tenant\/([^/]+)$/, { name: 'DeleteDistributionTenant', run: remove }],
  [
    'GET',
    /^\/2020-05-31\/managed-certificate\/([^/]+)$/,
    { name: 'GetManagedCertificateDetails', run: getCertificate },
  ],
  ['GET', /^\/2020-05-31\/connection-group\/([^/]+)$/, { name: 'GetConnectionGroup', run: getConnectionGroup }],
  ['GET', /^\/2020-05-31\/tagging$/, { name: 'ListTagsForResource', run: listTags }],
];

/** Returns the operation of a request to CloudFront (version 2020-05-31). Returns undefined for other requests. */
export function matchCloudFrontOperation(
  request: StandInRequest,
): { name: string; run(state: EdgeState): StandInResponse } | undefined {
  for (const [method, path, { name, run }] of ROUTES) {
    const match = path.exec(request.path);
    if (match === null || method !== request.method) continue;
    return { name, run: (state) => catchErrors(() => run(state, request, tryDecode(match[1]))) };
  }
  return undefined;
}

function catchErrors(run: () => StandInResponse): StandInResponse {
  try {
    return run();
  } catch (error) {
    if (error instanceof CloudFrontError) return cloudFrontErrorResponse(error.status, error.code, error.message);
    throw error;
  }
}

export function cloudFrontErrorResponse(status: number, code: string, message: string): StandInResponse {
  const error = { Type: status < 500 ? 'Sender' : 'Receiver', Code: code, Message: message };
  return xmlResponse(status, 'ErrorResponse', { Error: error, RequestId: randomUUID() });
}

function create(state: EdgeState, request: StandInRequest): StandInResponse {
  const tenant = createTenant(state, parse(request.body, 'CreateDistributionTenantRequest', NewTenant));
  const location = `/2020-05-31/distribution-tenant/${tenant.id}`;
  return tenantResponse(state, tenant, 201, { Location: location });
}

function get(state: EdgeState, _: StandInRequest, identifier: string): StandInResponse {
  return tenantResponse(state, getTenant(state, identifier));
}

function update(state: EdgeState, { body, headers }: StandInRequest, id: string): StandInResponse {
  const change = parse(body, 'UpdateDistributionTenantRequest', TenantChange);
  return tenantResponse(state, updateTenant(state, { id, ifMatch: headers['if-match'] }, change));
}

function remove(state: EdgeState, { headers }: StandInRequest, id: string): StandInResponse {
  deleteTenant(state, { id, ifMatch: headers['if-match'] });
  return { status: 204, headers: {}, body: '' };
}

function getCertificate(state: EdgeState, _: StandInRequest, identifier: string): StandInResponse {
  const { arn, status } = getManagedCertificate(state, identifier);
  const details = { CertificateArn: arn, CertificateStatus: status, ValidationTokenHost: 'cloudfront' };
  return xmlResponse(200, 'ManagedCertificateDetails', details);
}

function getConnectionGroup(_: EdgeState, __: StandInRequest, id: string): StandInResponse {
  if (id !== CONNECTION_GROUP)
    return cloudFrontErrorResponse(404, 'EntityNotFound', 'The connection group does not exist.');
  const group = { Id: id, Name: 'local', RoutingEndpoint: ROUTING_ENDPOINT, Enabled: true, IsDefault: true };
  return xmlResponse(200, 'ConnectionGroup', { ...group, Status: 'Deployed' }, { ETag: 'ELOCALGROUP' });
}

function listTags(state: EdgeState, { url }: StandInRequest): StandInResponse {
  const { tags } = getTenant(state, new URL(url, 'http://edge').searchParams.get('Resource') ?? '');
  return xmlResponse(200, 'Tags', { Items: { Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) } });
}

function tenantResponse(
  state: EdgeState,
  tenant: Tenant,
  status = 200,
  headers: Record<string, string> = {},
): StandInResponse {
  const { id, name, domain, enabled, certificateArn, createdAtMs, changedAtMs } = tenant;
  const body = {
    Id: id,
    DistributionId: EDGE_DISTRIBUTION,
    Name: name,
    Arn: tenantArn(id),
    Domains: { member: [{ Domain: domain, Status: isActive(state, tenant) ? 'active' : 'inactive' }] },
    ...(certificateArn && { Customizations: { Certificate: { Arn: certificateArn } } }),
    ConnectionGroupId: CONNECTION_GROUP,
    CreatedTime: new Date(createdAtMs).toISOString(),
    LastModifiedTime: new Date(changedAtMs).toISOString(),
    Enabled: enabled,
    Status: isDeployed(state, tenant) ? 'Deployed' : 'InProgress',
  };
  return xmlResponse(status, 'DistributionTenant', body, { ...headers, ETag: computeETag(state, tenant) });
}

function xmlResponse(
  status: number,
  root: string,
  body: object,
  headers: Record<string, string> = {},
): StandInResponse {
  const text = builder.build({ [root]: { '@xmlns': NAMESPACE, ...body } });
  return {
    status,
    headers: { 'Content-Type': 'text/xml', ...headers },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${text}`,
  };
}

function parse<T>(body: string, root: string, schema: z.ZodMiniType<T>): T {
  const { data, error } = schema.safeParse(withLists(parseXml(body, root)));
  if (error !== undefined)
    throw new CloudFrontError(400, 'InvalidArgument', `The body is not a valid ${root}: ${z.prettifyError(error)}`);
  return data;
}

function parseXml(body: string, root: string): Record<string, unknown> {
  try {
    return parser.parse(body, true)[root] ?? {};
  } catch {
    throw new CloudFrontError(400, 'MalformedInput', 'The body is not valid XML.');
  }
}

/** Converts lists to arrays. If a list has one member, the parser returns only the member. */
function withLists(request: Record<string, unknown>): Record<string, unknown> {
  const { Domains: domains, Tags: tags } = request as {
    Domains?: { member?: unknown };
    Tags?: { Items?: { Tag?: unknown } };
  };
  return { ...request, Domains: [domains?.member ?? []].flat(), Tags: [tags?.Items?.Tag ?? []].flat() };
}

function tryDecode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return '';
  }
}
