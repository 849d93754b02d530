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

/** CloudFront is one for the world, and looks for certificates here alone. */
const REGION = 'us-east-1';

/** Statuses of certificates that none of them leaves. */
const LOST: ReadonlySet<string | undefined> = new Set([
  'expired',
  'failed',
  'inactive',
  'revoked',
  'validation-timed-out',
]);
const NOT_YET: ReadonlySet<string> = new Set(['CannotDeleteEntityWhileInUse', 'ResourceInUse', 'ResourceNotDisabled']);
const NO_CERTIFICATE: ReadonlySet<string> = new Set(['ResourceNotFoundException']);
const CERTIFICATE_IN_USE: ReadonlySet<string> = new Set(['ConflictException', 'ResourceInUseException']);

/** Unique in the AWS account, and the same however often it is asked for. */
const nameOf = (domainId: string): string => `tributary-${domainId}`;

/**
 * Amazon CloudFront with a multi-tenant distribution: each hostname is a distribution tenant with a certificate that
 * CloudFront has ACM issue (SaaS Manager, API version 2020-05-31). Each call has 5 s, each method 20 s; what fails is
 * an `EdgeFailure`.
 */
export function createCloudFrontCdnProvider(
  place: DistributionSettings,
  limits: CdnTimeouts = CDN_TIMEOUTS,
): CdnProvider {
  const requestHandler = { connectionTimeout: 1_000, requestTimeout: limits.callMs, throwOnRequestTimeout: true };
  const options = { region: REGION, maxAttempts: 2, requestHandler };
  const cloudFront = new CloudFrontClient(options);
  const acm = new ACMClient(options);
  const method = <T>(purpose: string, run: (access: CloudFrontContext) => Promise<T>): Promise<T> =>
    withTimeouts(purpose, limits, (call) => run({ call, cloudFront, place }));
  const find = (identifier: string) => method('look the hostname up', (access) => lookUp(access, identifier));
  return {
    create: ({ domainId, hostname }) =>
      method('set the hostname up', (access) => setUp(access, nameOf(domainId), hostname)),
    find,
    findByDomain: (domainId) => find(nameOf(domainId)),
    disable: (tenantId) => method('switch the hostname off', (access) => switchOff(access, tenantId)),
    delete: (tenantId) => method('take the hostname away', (access) => takeAway(access, tenantId)),
    deleteCertificate: (certificateArn) =>
      method('delete the certificate', ({ call }) => deleteCertificate(acm, call, certificateArn)),
  };
}

async function lookUp(access: CloudFrontContext, identifier: string): Promise<CdnTenant | undefined> {
  const tenant = await findTenant(access, identifier);
  return tenant && described(access, tenant, await findCertificate(access, tenant.id));
}

async function setUp(access: CloudFrontContext, name: string, hostname: string): Promise<CdnTenant> {
  const tenant = (await findTenant(access, name)) ?? (await createTenant(access, name, hostname));
  const certificate = await findCertificate(access, tenant.id);
  if (!tenant.active && LOST.has(certificate?.status)) {
    throw new CdnError(
      'The hostname got no certificate. Let its CNAME record name the target, remove the domain and add it again.',
    );
  }
  return described(access, await withCertificate(access, tenant, certificate), certificate);
}

/** CloudFront has a certificate issued for a tenant, and leaves it to others to put it to use. */
async function withCertificate(
  access: CloudFrontContext,
  tenant: Tenant,
  certificate: Certificate | undefined,
): Promise<Tenant> {
  if (certificate?.status !== 'issued') return tenant;
  const latest = await retryOnStaleETag(access, tenant, async (state) => {
    const { Customizations: given } = state.record;
    const waits = state.enabled && state.deployed && !state.active && given?.Certificate?.Arn !== certificate.arn;
    if (!waits) return state;
    return updateTenant(access, state, { Customizations: { ...given, Certificate: { Arn: certificate.arn } } });
  });
  if (latest === 'gone') throw new CdnError('Somebody else took the hostname away at the same time.');
  return latest;
}

async function described(
  access: CloudFrontContext,
  { id, enabled, deployed, active, record }: Tenant,
  certificate: Certificate | undefined,
): Promise<CdnTenant> {
  const target = await getCnameTarget(access, record.ConnectionGroupId);
  return { tenantId: id, target, certificateArn: certificate?.arn, isServed: enabled && deployed && active };
}

async function switchOff(access: CloudFrontContext, tenantId: string): Promise<'done' | 'under_way'> {
  const tenant = await findTenant(access, tenantId);
  if (tenant === undefined) return 'done';
  const latest = await retryOnStaleETag(access, tenant, async (state) =>
    state.enabled ? updateTenant(access, state, { Enabled: false }) : state,
  );
  return latest === 'gone' || (!latest.enabled && latest.deployed) ? 'done' : 'under_way';
}

async function takeAway(access: CloudFrontContext, tenantId: string): Promise<'done' | 'under_way'> {
  const tenant = await findTenant(access, tenantId);
  if (tenant === undefined) return 'done';
  try {
    const outcome = await retryOnStaleETag(access, tenant, async (state) => {
      // Somebody may have switched it on again by hand: it must not stay so for ever.
      if (state.enabled) await updateTenant(access, state, { Enabled: false });
      if (state.enabled || !state.deployed) return 'under_way';
      await deleteTenant(access, state);
      return 'done';
    });
    return outcome === 'gone' ? 'done' : outcome;
  } catch (error) {
    if (hasErrorName(error, NOT_YET)) return 'under_way';
    throw error;
  }
}

async function deleteCertificate(
  acm: ACMClient,
  call: SendWithTimeout,
  certificateArn: string,
): Promise<'done' | 'under_way'> {
  try {
    await call((options) => acm.send(new DeleteCertificateCommand({ CertificateArn: certificateArn }), options));
    return 'done';
  } catch (error) {
    if (hasErrorName(error, NO_CERTIFICATE)) return 'done';
    if (hasErrorName(error, CERTIFICATE_IN_USE)) return 'under_way';
    throw error;
  }
}
