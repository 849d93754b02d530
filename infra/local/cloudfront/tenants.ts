import { createHash, randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { CONNECTION_GROUP, EDGE_DISTRIBUTION } from './settings.ts';
import { type Certificate, type EdgeState, removeTenant, saveTenant, type Tenant } from './state.ts';

/** An answer that says no, as the service names it. */
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
/** Hostnames below it get no certificate, and are never served. */
const FAILING = /(?:^|\.)fail\.example$/;
/** For hostnames below it each step takes this many times as long. */
const SLOW = /(?:^|\.)slow\.example$/;
const SLOWNESS = 10;
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

/** API reference, CreateDistributionTenant: one hostname, with a certificate that is asked for at once. */
export const NewTenant = z.object({
  ...Common,
  Name: z.string().check(z.regex(/^[a-zA-Z0-9][a-zA-Z0-9-.]{1,126}[a-zA-Z0-9]$/)),
  ManagedCertificateRequest: z.object({ ValidationTokenHost: z.literal('cloudfront'), PrimaryDomainName: z.string() }),
  Tags: z.array(z.object({ Key: z.string(), Value: z.string() })),
});

/** API reference, UpdateDistributionTenant. */
export const TenantChange = z.object({
  ...Common,
  Customizations: z.optional(z.object({ Certificate: z.optional(z.object({ Arn: z.string() })) })),
});

const stepOf = ({ stepMs }: EdgeState, domain: string) => (SLOW.test(domain) ? SLOWNESS * stepMs : stepMs);

export function createTenant(world: EdgeState, asked: z.infer<typeof NewTenant>): Tenant {
  const [{ Domain: domain }] = asked.Domains;
  const { tenants } = world.persisted.read();
  if (asked.DistributionId !== EDGE_DISTRIBUTION)
    throw new CloudFrontError(404, 'EntityNotFound', 'The distribution is not there.');
  if (tenants.some(({ name }) => name === asked.Name)) {
    throw new CloudFrontError(409, 'EntityAlreadyExists', 'A distribution tenant with this name is there already.');
  }
  if (tenants.some((other) => other.domain === domain)) {
    throw new CloudFrontError(
      409,
      'CNAMEAlreadyExists',
      'One or more of the CNAMEs are already with another resource.',
    );
  }
  const now = world.nowMs();
  const settledAtMs = now + stepOf(world, domain);
  const id = `dt_${randomBytes(18).toString('base64url').replace(/[-_]/g, '0')}`;
  const tenant: Tenant = {
    ...{ id, name: asked.Name, domain, enabled: asked.Enabled ?? true, certificateArn: null, version: 1 },
    ...{ createdAtMs: now, changedAtMs: now, deployedAtMs: settledAtMs },
    tags: Object.fromEntries(asked.Tags.map(({ Key, Value }) => [Key, Value])),
  };
  const arn = `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/${randomUUID()}`;
  saveTenant(world, tenant, { arn, tenantId: id, domain, settledAtMs, usedUntilMs: null });
  return tenant;
}

/** @param identifier an id, an ARN or a name */
export function getTenant({ persisted: state }: EdgeState, identifier: string): Tenant {
  const found = state.read().tenants.find((one) => [one.id, one.name, tenantArn(one.id)].includes(identifier));
  if (found === undefined) throw new CloudFrontError(404, 'EntityNotFound', 'The distribution tenant is not there.');
  return found;
}

export function updateTenant(
  world: EdgeState,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  asked: z.infer<typeof TenantChange>,
): Tenant {
  const tenant = requireMatchingETag(world, id, ifMatch);
  const certificateArn = asked.Customizations?.Certificate?.Arn ?? null;
  const certificate = world.persisted.read().certificates.find(({ arn }) => arn === certificateArn);
  if (certificateArn !== null && (certificate === undefined || certificateStatus(world, certificate) !== 'issued')) {
    throw new CloudFrontError(400, 'InvalidArgument', 'The certificate is not there, or not issued.');
  }
  const now = world.nowMs();
  const changed: Tenant = {
    ...{ ...tenant, enabled: asked.Enabled ?? true, certificateArn, version: tenant.version + 1 },
    ...{ changedAtMs: now, deployedAtMs: now + stepOf(world, tenant.domain) },
  };
  saveTenant(world, changed);
  return changed;
}

export function deleteTenant(world: EdgeState, { id, ifMatch }: { id: string; ifMatch: string | undefined }): void {
  const tenant = requireMatchingETag(world, id, ifMatch);
  if (tenant.enabled || !isDeployed(world, tenant)) {
    throw new CloudFrontError(409, 'ResourceNotDisabled', 'The distribution tenant is not disabled everywhere.');
  }
  removeTenant(world, id, world.nowMs() + stepOf(world, tenant.domain));
}

function requireMatchingETag(world: EdgeState, id: string, ifMatch: string | undefined): Tenant {
  const tenant = getTenant(world, id);
  if (!ifMatch)
    throw new CloudFrontError(400, 'InvalidIfMatchVersion', 'The If-Match version is missing or not valid.');
  if (ifMatch !== computeETag(world, tenant))
    throw new CloudFrontError(412, 'PreconditionFailed', 'The ETag is not the latest.');
  return tenant;
}

export const isDeployed = ({ nowMs }: EdgeState, { deployedAtMs }: Tenant): boolean => nowMs() >= deployedAtMs;

/** Whether a certificate covers the hostname everywhere. */
export const isActive = (world: EdgeState, tenant: Tenant): boolean =>
  tenant.certificateArn !== null && isDeployed(world, tenant);

/** Of the state with its certificate's: the service too counts a certificate's progress as a change of its tenant. */
export function computeETag(world: EdgeState, { id, version }: Tenant): string {
  const certificate = world.persisted.read().certificates.find(({ tenantId }) => tenantId === id);
  const status = certificate && certificateStatus(world, certificate);
  const hash = createHash('sha256')
    .update(JSON.stringify([id, version, status]))
    .digest('hex');
  return `E${hash.slice(0, 13).toUpperCase()}`;
}

export const tenantArn = (id: string): string => `arn:aws:cloudfront::${ACCOUNT}:distribution-tenant/${id}`;

/** The certificate that was asked for with a tenant, with its status. */
export function getManagedCertificate(world: EdgeState, identifier: string): { arn: string; status: string } {
  const { id } = getTenant(world, identifier);
  const certificate = world.persisted.read().certificates.find(({ tenantId }) => tenantId === id);
  if (certificate === undefined)
    throw new CloudFrontError(404, 'EntityNotFound', 'The managed certificate is not there.');
  return { arn: certificate.arn, status: certificateStatus(world, certificate) };
}

function certificateStatus({ nowMs }: EdgeState, { domain, settledAtMs }: Certificate): string {
  if (nowMs() < settledAtMs) return 'pending-validation';
  return FAILING.test(domain) ? 'failed' : 'issued';
}

/** Whether there is such a certificate, and whether anything uses it. */
export function certificateUsage(world: EdgeState, arn: string): 'missing' | 'in use' | 'free' {
  const certificate = world.persisted.read().certificates.find((one) => one.arn === arn);
  if (certificate === undefined) return 'missing';
  const { usedUntilMs } = certificate;
  return usedUntilMs === null || world.nowMs() < usedUntilMs ? 'in use' : 'free';
}
