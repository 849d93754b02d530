import { ACMClient, DeleteCertificateCommand } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CdnError, type CdnProvider, type CdnTenant } from '../cdn-provider.ts';
import {
  CDN_TIMEOUTS,
  type CdnTimeouts,
  hasErrorName,
  type SendWithTimeout,
  withTimeouts,
} from './cloudfront-calls.ts';
import { type Certificate, findCertificate, getCnameTarget } from './cloudfront-details.ts';
import {
  type CloudFrontContext,
  createTenant,
  type DistributionSettings,
  deleteTenant,
  findTenant,
  retryOnStaleETag,
  type Tenant,
  updateTenant,
} from './cloudfront-tenants.ts';

/** CloudFront is a global service and uses only certificates of this region. */
const REGION = 'us-east-1';

/** Final statuses of a certificate that can't be used. */
const UNUSABLE: ReadonlySet<string | undefined> = new Set([
  'expired',
  'failed',
  'inactive',
  'revoked',
  'validation-timed-out',
]);
const NOT_YET: ReadonlySet<string> = new Set(['CannotDeleteEntityWhileInUse', 'ResourceInUse', 'ResourceNotDisabled']);
const NO_CERTIFICATE: ReadonlySet<string> = new Set(['ResourceNotFoundException']);
const CERTIFICATE_IN_USE: ReadonlySet<string> = new Set(['ConflictException', 'ResourceInUseException']);

/**
 * Returns the name of a domain's tenant. CloudFront accepts each name only once per AWS account, so a repeated creation
 * can't create a second tenant.
 */
const nameOf = (domainId: string): string => `tributary-${domainId}`;

/**
 * Amazon CloudFront with a multi-tenant distribution (SaaS Manager, API version 2020-05-31). Each hostname is a
 * distribution tenant with a certificate that CloudFront requests from ACM.
 *
 * The methods throw CdnError. By default, one request to AWS may take 5 s, and all requests of a method together 20 s.
 */
export function createCloudFrontCdnProvider(
  settings: DistributionSettings,
  limits: CdnTimeouts = CDN_TIMEOUTS,
): CdnProvider {
  const requestHandler = { connectionTimeout: 1_000, requestTimeout: limits.callMs, throwOnRequestTimeout: true };
  const options = { region: REGION, maxAttempts: 2, requestHandler };
  const cloudFront = new CloudFrontClient(options);
  const acm = new ACMClient(options);
  const method = <T>(purpose: string, run: (access: CloudFrontContext) => Promise<T>): Promise<T> =>
    withTimeouts(purpose, limits, (call) => run({ call, cloudFront, settings }));
  const find = (identifier: string) => method('look up the hostname', (access) => describeTenant(access, identifier));
  return {
    create: ({ domainId, hostname }) =>
      method('set up the hostname', (access) => createOrAdvanceTenant(access, nameOf(domainId), hostname)),
    find,
    findByDomain: (domainId) => find(nameOf(domainId)),
    disable: (tenantId) => method('disable the hostname', (access) => disableTenant(access, tenantId)),
    delete: (tenantId) => method('delete the hostname', (access) => disableAndDeleteTenant(access, tenantId)),
    deleteCertificate: (certificateArn) =>
      method('delete the certificate', ({ call }) => deleteCertificate(acm, call, certificateArn)),
  };
}

async function describeTenant(access: CloudFrontContext, identifier: string): Promise<CdnTenant | undefined> {
  const tenant = await findTenant(access, identifier);
  return tenant && toCdnTenant(access, tenant, await findCertificate(access, tenant.id));
}

async function createOrAdvanceTenant(access: CloudFrontContext, name: string, hostname: string): Promise<CdnTenant> {
  const tenant = (await findTenant(access, name)) ?? (await createTenant(access, name, hostname));
  const certificate = await findCertificate(access, tenant.id);
  if (!tenant.active && UNUSABLE.has(certificate?.status)) {
    throw new CdnError(
      'The hostname has no usable certificate. Point the CNAME record of the hostname to the target that ' +
        '"domains show" prints. Then remove the domain, and add it again.',
    );
  }
  return toCdnTenant(access, await withCertificate(access, tenant, certificate), certificate);
}

/**
 * Attaches the certificate after it was issued. CloudFront requests a certificate for a tenant, but does not attach it.
 */
async function withCertificate(
  access: CloudFrontContext,
  tenant: Tenant,
  certificate: Certificate | undefined,
): Promise<Tenant> {
  if (certificate?.status !== 'issued') return tenant;
  const latest = await retryOnStaleETag(access, tenant, async (state) => {
    const { Customizations: given } = state.record;
    const needsCertificate =
      state.enabled && state.deployed && !state.active && given?.Certificate?.Arn !== certificate.arn;
    if (!needsCertificate) return state;
    return updateTenant(access, state, { Customizations: { ...given, Certificate: { Arn: certificate.arn } } });
  });
  if (latest === 'not_found')
    throw new CdnError('Another process deleted the tenant of the hostname. The next attempt creates a new tenant.');
  return latest;
}

async function toCdnTenant(
  access: CloudFrontContext,
  { id, enabled, deployed, active, record }: Tenant,
  certificate: Certificate | undefined,
): Promise<CdnTenant> {
  const target = await getCnameTarget(access, record.ConnectionGroupId);
  return { tenantId: id, target, certificateArn: certificate?.arn, isServed: enabled && deployed && active };
}

async function disableTenant(access: CloudFrontContext, tenantId: string): Promise<'done' | 'in_progress'> {
  const tenant = await findTenant(access, tenantId);
  if (tenant === undefined) return 'done';
  const latest = await retryOnStaleETag(access, tenant, async (state) =>
    state.enabled ? updateTenant(access, state, { Enabled: false }) : state,
  );
  return latest === 'not_found' || (!latest.enabled && latest.deployed) ? 'done' : 'in_progress';
}

async function disableAndDeleteTenant(access: CloudFrontContext, tenantId: string): Promise<'done' | 'in_progress'> {
  const tenant = await findTenant(access, tenantId);
  if (tenant === undefined) return 'done';
  try {
    const outcome = await retryOnStaleETag(access, tenant, async (state) => {
      // CloudFront deletes only disabled tenants, and an operator may have enabled this one by hand.
      if (state.enabled) await updateTenant(access, state, { Enabled: false });
      if (state.enabled || !state.deployed) return 'in_progress';
      await deleteTenant(access, state);
      return 'done';
    });
    return outcome === 'not_found' ? 'done' : outcome;
  } catch (error) {
    if (hasErrorName(error, NOT_YET)) return 'in_progress';
    throw error;
  }
}

async function deleteCertificate(
  acm: ACMClient,
  call: SendWithTimeout,
  certificateArn: string,
): Promise<'done' | 'in_progress'> {
  try {
    await call((options) => acm.send(new DeleteCertificateCommand({ CertificateArn: certificateArn }), options));
    return 'done';
  } catch (error) {
    if (hasErrorName(error, NO_CERTIFICATE)) return 'done';
    if (hasErrorName(error, CERTIFICATE_IN_USE)) return 'in_progress';
    throw error;
  }
}
