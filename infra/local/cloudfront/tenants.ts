import { createHash, randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { CONNECTION_GROUP, EDGE_DISTRIBUTION } from './settings.ts';
import { type Certificate, type EdgeState, removeTenant, saveTenant, type Tenant } from './state.ts';

/** An error with the status and code of CloudFront. */
export class CloudFrontError extends Error {
  readonly code: string;
  readonly status: number;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const ACCOUNT = '111122223333';
/** Certificates for these hostnames fail. */
const FAILING_HOSTNAME = /(?:^|\.)fail\.example$/;
/** For these hostnames, `stepMs` is multiplied by `SLOW_FACTOR`. */
const SLOW_HOSTNAME = /(?:^|\.)slow\.example$/;
const SLOW_FACTOR = 10;
const HOSTNAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

const Flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text) => text === 'true'),
);
const Common = {
  ConnectionGroupId: z.optional(z.literal(CONNECTION_GROUP)),
  Enabled: z.optional(Flag),
  DistributionId: z.string(),
  Domains: z.tuple([z.object({ Domain: z.string().check(z.regex(HOSTNAME)) })]),
};

/** Request body of CreateDistributionTenant (API reference), restricted to one hostname with a managed certificate. */
export const NewTenant = z.object({
  ...Common,
  Name: z.string().check(z.regex(/^[a-zA-Z0-9][a-zA-Z0-9-.]{1,126}[a-zA-Z0-9]$/)),
  ManagedCertificateRequest: z.object({ ValidationTokenHost: z.literal('cloudfront'), PrimaryDomainName: z.string() }),
  Tags: z.array(z.object({ Key: z.string(), Value: z.string() })),
});

/** Request body of UpdateDistributionTenant (API reference). */
export const TenantChange = z.object({
  ...Common,
  Customizations: z.optional(z.object({ Certificate: z.optional(z.object({ Arn: z.string() })) })),
});

const stepDurationMs = ({ stepMs }: EdgeState, domain: string) =>
  SLOW_HOSTNAME.test(domain) ? SLOW_FACTOR * stepMs : stepMs;

export function createTenant(state: EdgeState, request: z.infer<typeof NewTenant>): Tenant {
  const [{ Domain: domain }] = request.Domains;
  const { tenants } = state.persisted.read();
  if (request.DistributionId !== EDGE_DISTRIBUTION)
    throw new CloudFrontError(404, 'EntityNotFound', `The distribution ${request.DistributionId} does not exist.`);
  if (tenants.some(({ name }) => name === request.Name)) {
    throw new CloudFrontError(409, 'EntityAlreadyExists', `The distribution tenant ${request.Name} already exists.`);
  }
  if (tenants.some((other) => other.domain === domain)) {
    throw new CloudFrontError(
      409,
      'CNAMEAlreadyExists',
      `Another distribution tenant already has the domain ${domain}.`,
    );
  }
  const now = state.nowMs();
  const settledAtMs = now + stepDurationMs(state, domain);
  const id = `dt_${randomBytes(18).toString('base64url').replace(/[-_]/g, '0')}`;
  const tenant: Tenant = {
    id,
    name: request.Name,
    domain,
    enabled: request.Enabled ?? true,
    certificateArn: null,
    version: 1,
    createdAtMs: now,
    changedAtMs: now,
    deployedAtMs: settledAtMs,
    tags: Object.fromEntries(request.Tags.map(({ Key, Value }) => [Key, Value])),
  };
  const arn = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/${randomUUID()}`;
  saveTenant(state, tenant, { arn, tenantId: id, domain, settledAtMs, usedUntilMs: null });
  return tenant;
}

/** @param identifier an id, an ARN or a name. @throws CloudFrontError if no tenant has this identifier */
export function getTenant({ persisted: state }: EdgeState, identifier: string): Tenant {
  const found = state.read().tenants.find((one) => [one.id, one.name, tenantArn(one.id)].includes(identifier));
  if (found === undefined)
    throw new CloudFrontError(404, 'EntityNotFound', `The distribution tenant ${identifier} does not exist.`);
  return found;
}

export function updateTenant(
  state: EdgeState,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  request: z.infer<typeof TenantChange>,
): Tenant {
  const tenant = requireMatchingETag(state, id, ifMatch);
  const certificateArn = request.Customizations?.Certificate?.Arn ?? null;
  const certificate = state.persisted.read().certificates.find(({ arn }) => arn === certificateArn);
  if (certificateArn !== null && (certificate === undefined || certificateStatus(state, certificate) !== 'issued')) {
    throw new CloudFrontError(
      400,
      'InvalidArgument',
      `The certificate ${certificateArn} does not exist or is not issued.`,
    );
  }
  const now = state.nowMs();
  const changed: Tenant = {
    ...tenant,
    enabled: request.Enabled ?? true,
    certificateArn,
    version: tenant.version + 1,
    changedAtMs: now,
    deployedAtMs: now + stepDurationMs(state, tenant.domain),
  };
  saveTenant(state, changed);
  return changed;
}

export function deleteTenant(state: EdgeState, { id, ifMatch }: { id: string; ifMatch: string | undefined }): void {
  const tenant = requireMatchingETag(state, id, ifMatch);
  if (tenant.enabled || !isDeployed(state, tenant)) {
    const message = `The distribution tenant ${id} is enabled, or its last change is still being deployed.`;
    throw new CloudFrontError(409, 'ResourceNotDisabled', message);
  }
  removeTenant(state, id, state.nowMs() + stepDurationMs(state, tenant.domain));
}

function requireMatchingETag(state: EdgeState, id: string, ifMatch: string | undefined): Tenant {
  const tenant = getTenant(state, id);
  if (!ifMatch)
    throw new CloudFrontError(400, 'InvalidIfMatchVersion', `If-Match is missing. It must be the ETag of ${id}.`);
  if (ifMatch !== computeETag(state, tenant))
    throw new CloudFrontError(412, 'PreconditionFailed', `If-Match is not the current ETag of ${id}.`);
  return tenant;
}

export const isDeployed = ({ nowMs }: EdgeState, { deployedAtMs }: Tenant): boolean => nowMs() >= deployedAtMs;

/** Whether the API reports the tenant's hostname as `active`. The stand-in ignores whether the tenant is enabled. */
export const isActive = (state: EdgeState, tenant: Tenant): boolean =>
  tenant.certificateArn !== null && isDeployed(state, tenant);

/** Computes a tenant's ETag. As in CloudFront, a new status of the tenant's certificate changes the ETag. */
export function computeETag(state: EdgeState, { id, version }: Tenant): string {
  const certificate = state.persisted.read().certificates.find(({ tenantId }) => tenantId === id);
  const status = certificate && certificateStatus(state, certificate);
  const hash = createHash('sha256')
    .update(JSON.stringify([id, version, status]))
    .digest('hex');
  return `E${hash.slice(0, 13).toUpperCase()}`;
}

export const tenantArn = (id: string): string => `arn:aws:cloudfront::${ACCOUNT}:distribution-tenant/${id}`;

/**
 * Returns the certificate of a tenant, with the status of the certificate.
 *
 * @throws CloudFrontError if the tenant does not exist or has no certificate
 */
export function getManagedCertificate(state: EdgeState, identifier: string): { arn: string; status: string } {
  const { id } = getTenant(state, identifier);
  const certificate = state.persisted.read().certificates.find(({ tenantId }) => tenantId === id);
  if (certificate === undefined)
    throw new CloudFrontError(404, 'EntityNotFound', `The distribution tenant ${id} has no certificate.`);
  return { arn: certificate.arn, status: certificateStatus(state, certificate) };
}

function certificateStatus({ nowMs }: EdgeState, { domain, settledAtMs }: Certificate): string {
  if (nowMs() < settledAtMs) return 'pending-validation';
  return FAILING_HOSTNAME.test(domain) ? 'failed' : 'issued';
}

export function certificateUsage(state: EdgeState, arn: string): 'missing' | 'in use' | 'free' {
  const certificate = state.persisted.read().certificates.find((one) => one.arn === arn);
  if (certificate === undefined) return 'missing';
  const { usedUntilMs } = certificate;
  return usedUntilMs === null || state.nowMs() < usedUntilMs ? 'in use' : 'free';
}
