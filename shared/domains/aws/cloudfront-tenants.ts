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

/** The multi-tenant distribution that holds the tenants, and the connection group that visitors come by. */
export type DistributionSettings = { distributionId: string; connectionGroupId?: string };

/** What a method needs to ask CloudFront. */
export type CloudFrontContext = { call: SendWithTimeout; cloudFront: CloudFrontClient; place: DistributionSettings };

/** A distribution tenant in its latest state, as far as it matters here. */
export type Tenant = {
  id: string;
  /** Of this state: a change is refused when there is a later one. */
  eTag: string;
  enabled: boolean;
  /** Whether its last change has reached every edge location. */
  deployed: boolean;
  /** Whether a certificate covers the hostname. */
  active: boolean;
  record: DistributionTenant;
};

const STALE: ReadonlySet<string> = new Set(['InvalidIfMatchVersion', 'PreconditionFailed']);
const TAKEN: ReadonlySet<string> = new Set(['CNAMEAlreadyExists', 'EntityAlreadyExists']);
const STATES_READ_MAX = 3;

/** By this tag the functions' rights to change are limited to the tenants of their own distribution. */
export const TENANT_TAG = 'tributary-edge';

/** @param identifier an id or a name @returns undefined when there is no such tenant */
export async function findTenant(
  { call, cloudFront }: CloudFrontContext,
  identifier: string,
): Promise<Tenant | undefined> {
  const found = await undefinedIfNotFound(
    call((options) => cloudFront.send(new GetDistributionTenantCommand({ Identifier: identifier }), options)),
  );
  return found && tenantIn(found);
}

/**
 * Makes a tenant; or finds it, where the answer to an earlier attempt was lost.
 *
 * @throws EdgeFailure when the hostname is somebody else's
 */
export async function createTenant(access: CloudFrontContext, name: string, hostname: string): Promise<Tenant> {
  const { call, cloudFront, place } = access;
  const request = newTenant(place, name, hostname);
  try {
    return tenantIn(await call((options) => cloudFront.send(new CreateDistributionTenantCommand(request), options)));
  } catch (cause) {
    const first = hasErrorName(cause, TAKEN) ? await findTenant(access, name) : undefined;
    if (first !== undefined) return first;
    if (!(cause instanceof Error) || cause.name !== 'CNAMEAlreadyExists') throw cause;
    throw new CdnError(
      'Another CloudFront distribution or tenant already serves this hostname, maybe in another AWS account. Take it away there first.',
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
  // CloudFront answers ACM's questions itself, as soon as the hostname's CNAME record leads there.
  ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront' as const, PrimaryDomainName: hostname },
  Tags: { Items: [{ Key: TENANT_TAG, Value: distributionId }] },
});

/** @throws Error named `PreconditionFailed` when the tenant has changed since it was read */
export async function updateTenant(
  { call, cloudFront }: CloudFrontContext,
  { id, eTag, record }: Tenant,
  change: { Enabled?: boolean; Customizations?: Customizations },
): Promise<Tenant> {
  // What is left out would be reset.
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
  return tenantIn(await call((options) => cloudFront.send(new UpdateDistributionTenantCommand(request), options)));
}

/** @throws Error named `PreconditionFailed` when the tenant has changed since it was read */
export async function deleteTenant({ call, cloudFront }: CloudFrontContext, { id, eTag }: Tenant): Promise<void> {
  await call((options) => cloudFront.send(new DeleteDistributionTenantCommand({ Id: id, IfMatch: eTag }), options));
}

/** Acts on the latest state: when somebody changed it in between, that is read and acted on, a few times. */
export async function retryOnStaleETag<T>(
  access: CloudFrontContext,
  tenant: Tenant,
  act: (state: Tenant) => Promise<T>,
): Promise<T | 'gone'> {
  let latest: Tenant | undefined = tenant;
  for (let states = 1; latest !== undefined; states += 1) {
    try {
      return await act(latest);
    } catch (error) {
      if (hasErrorName(error, NOT_FOUND)) return 'gone';
      if (!hasErrorName(error, STALE) || states === STATES_READ_MAX) throw error;
    }
    latest = await findTenant(access, tenant.id);
  }
  return 'gone';
}

type Answer = { DistributionTenant?: DistributionTenant | undefined; ETag?: string | undefined };

function tenantIn({ DistributionTenant: record, ETag: eTag }: Answer): Tenant {
  if (!record?.Id || !eTag || !record.DistributionId || !record.Domains?.[0]?.Domain) throw unexpectedResponse();
  return {
    id: record.Id,
    eTag,
    enabled: record.Enabled === true,
    deployed: record.Status === 'Deployed',
    active: record.Domains.every(({ Status }) => Status === 'active'),
    record,
  };
}
