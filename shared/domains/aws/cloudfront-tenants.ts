import {
  type CloudFrontClient,
  CreateDistributionTenantCommand,
  type Customizations,
  DeleteDistributionTenantCommand,
  type DistributionTenant,
  GetDistributionTenantCommand,
  UpdateDistributionTenantCommand,
} from '@aws-sdk/client-cloudfront';
import { CdnError } from '../cdn-provider.ts';
import {
  hasErrorName,
  NOT_FOUND,
  type SendWithTimeout,
  undefinedIfNotFound,
  unexpectedResponse,
} from './cloudfront-calls.ts';

/** The multi-tenant distribution that contains the tenants, and the connection group that routes visitors to it. */
export type DistributionSettings = { distributionId: string; connectionGroupId?: string };

export type CloudFrontContext = { call: SendWithTimeout; cloudFront: CloudFrontClient; settings: DistributionSettings };

/** A distribution tenant as CloudFront returned it. */
export type Tenant = {
  id: string;
  /** Version of this state. CloudFront rejects a change if the tenant has a later version. */
  eTag: string;
  enabled: boolean;
  /** Whether the last change is deployed to every edge location. */
  deployed: boolean;
  /** Whether a certificate covers the hostname. */
  active: boolean;
  record: DistributionTenant;
};

const STALE: ReadonlySet<string> = new Set(['InvalidIfMatchVersion', 'PreconditionFailed']);
const TAKEN: ReadonlySet<string> = new Set(['CNAMEAlreadyExists', 'EntityAlreadyExists']);
const ATTEMPTS_MAX = 3;

/**
 * This tag of a tenant contains the id of the tenant's distribution. IAM policies check the tag, so that functions can
 * change only tenants of the configured distribution.
 */
export const TENANT_TAG = 'tributary-edge';

/** @param identifier an id or a name @returns undefined if there is no such tenant */
export async function findTenant(
  { call, cloudFront }: CloudFrontContext,
  identifier: string,
): Promise<Tenant | undefined> {
  const found = await undefinedIfNotFound(
    call((options) => cloudFront.send(new GetDistributionTenantCommand({ Identifier: identifier }), options)),
  );
  return found && tenantIn('GetDistributionTenant', found);
}

/**
 * Creates a tenant. If an earlier attempt created it and the response was lost, returns the existing tenant.
 *
 * @throws CdnError if another distribution or tenant serves the hostname, or the response is unexpected; other errors
 *   of the SDK unchanged
 */
export async function createTenant(access: CloudFrontContext, name: string, hostname: string): Promise<Tenant> {
  const { call, cloudFront, settings } = access;
  const request = newTenant(settings, name, hostname);
  try {
    const created = await call((options) => cloudFront.send(new CreateDistributionTenantCommand(request), options));
    return tenantIn('CreateDistributionTenant', created);
  } catch (cause) {
    const existing = hasErrorName(cause, TAKEN) ? await findTenant(access, name) : undefined;
    if (existing !== undefined) return existing;
    if (!(cause instanceof Error) || cause.name !== 'CNAMEAlreadyExists') throw cause;
    throw new CdnError(
      'Another CloudFront distribution or tenant already serves this hostname, maybe in another AWS account. ' +
        'Remove the hostname there first.',
      { cause },
    );
  }
}

const newTenant = ({ distributionId, connectionGroupId }: DistributionSettings, name: string, hostname: string) => ({
  DistributionId: distributionId,
  ...(connectionGroupId && { ConnectionGroupId: connectionGroupId }),
  Name: name,
  Domains: [{ Domain: hostname }],
  Enabled: true,
  // CloudFront serves the validation token of ACM once the hostname's CNAME record points to CloudFront.
  ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront' as const, PrimaryDomainName: hostname },
  Tags: { Items: [{ Key: TENANT_TAG, Value: distributionId }] },
});

/**
 * If the tenant has changed since it was read, the name of the SDK's error is in `STALE`.
 *
 * @throws CdnError if the response is unexpected; all errors of the SDK
 */
export async function updateTenant(
  { call, cloudFront }: CloudFrontContext,
  { id, eTag, record }: Tenant,
  change: { Enabled?: boolean; Customizations?: Customizations },
): Promise<Tenant> {
  // CloudFront resets every property that a request omits, so the request repeats the unchanged properties.
  const request = {
    Id: id,
    IfMatch: eTag,
    DistributionId: record.DistributionId,
    Domains: record.Domains?.map(({ Domain }) => ({ Domain })),
    Customizations: record.Customizations,
    Parameters: record.Parameters,
    ConnectionGroupId: record.ConnectionGroupId,
    Enabled: record.Enabled,
    ...change,
  };
  const updated = await call((options) => cloudFront.send(new UpdateDistributionTenantCommand(request), options));
  return tenantIn('UpdateDistributionTenant', updated);
}

/**
 * If the tenant has changed since it was read, the name of the SDK's error is in `STALE`.
 *
 * @throws all errors of the SDK
 */
export async function deleteTenant({ call, cloudFront }: CloudFrontContext, { id, eTag }: Tenant): Promise<void> {
  await call((options) => cloudFront.send(new DeleteDistributionTenantCommand({ Id: id, IfMatch: eTag }), options));
}

/**
 * Runs `act` on the tenant. If the tenant has changed since it was read, reads it again and retries, up to three
 * attempts in total.
 *
 * @returns `not_found` if the tenant does not exist any more
 */
export async function retryOnStaleETag<T>(
  access: CloudFrontContext,
  tenant: Tenant,
  act: (state: Tenant) => Promise<T>,
): Promise<T | 'not_found'> {
  let latest: Tenant | undefined = tenant;
  for (let attempt = 1; latest !== undefined; attempt += 1) {
    try {
      return await act(latest);
    } catch (error) {
      if (hasErrorName(error, NOT_FOUND)) return 'not_found';
      if (!hasErrorName(error, STALE) || attempt === ATTEMPTS_MAX) throw error;
    }
    latest = await findTenant(access, tenant.id);
  }
  return 'not_found';
}

type TenantResponse = { DistributionTenant?: DistributionTenant | undefined; ETag?: string | undefined };

function tenantIn(operation: string, { DistributionTenant: record, ETag: eTag }: TenantResponse): Tenant {
  if (!record?.Id || !eTag || !record.DistributionId || !record.Domains?.[0]?.Domain)
    throw unexpectedResponse(operation, 'the id, the ETag, the distribution or the hostname of the tenant');
  return {
    id: record.Id,
    eTag,
    enabled: record.Enabled === true,
    deployed: record.Status === 'Deployed',
    active: record.Domains.every(({ Status }) => Status === 'active'),
    record,
  };
}
