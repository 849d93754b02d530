import { ACMClient, DeleteCertificateCommand } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { type Call, type CallLimits, EDGE_LIMITS, isNamed, withinLimits } from './cloudfront-calls.ts';
import { type Certificate, certificateOf, targetOf } from './cloudfront-details.ts';
import {
  type Access,
  addTenant,
  deleteTenant,
  findTenant,
  onLatest,
  type Tenant,
  type TenantPlace,
  updateTenant,
} from './cloudfront-tenants.ts';
import { type Edge, EdgeFailure, type EdgeTenant } from './edge.ts';

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
export function cloudFrontEdge(place: TenantPlace, limits: CallLimits = EDGE_LIMITS): Edge {
  const requestHandler = { connectionTimeout: 1_000, requestTimeout: limits.callMs, throwOnRequestTimeout: true };
  const options = { region: REGION, maxAttempts: 2, requestHandler };
  const cloudFront = new CloudFrontClient(options);
  const acm = new ACMClient(options);
  const method = <T>(purpose: string, run: (access: Access) => Promise<T>): Promise<T> =>
    withinLimits(purpose, limits, (call) => run({ call, cloudFront, place }));
  const find = (identifier: string) => method('look the hostname up', (access) => lookUp(access, identifier));
  return {
    create: ({ domainId, hostname }) =>
      method('set the hostname up', (access) => setUp(access, nameOf(domainId), hostname)),
    find,
    findByDomain: (domainId) => find(nameOf(domainId)),
    disable: (tenantId) => method('switch the hostname off', (access) => switchOff(access, tenantId)),
    remove: (tenantId) => method('take the hostname away', (access) => takeAway(access, tenantId)),
    removeCertificate: (certificateArn) =>
      method('delete the certificate', ({ call }) => deleteCertificate(acm, call, certificateArn)),
  };
}

async function lookUp(access: Access, identifier: string): Promise<EdgeTenant | undefined> {
  const tenant = await findTenant(access, identifier);
  return tenant && described(access, tenant, await certificateOf(access, tenant.id));
}

async function setUp(access: Access, name: string, hostname: string): Promise<EdgeTenant> {
  const tenant = (await findTenant(access, name)) ?? (await addTenant(access, name, hostname));
  const certificate = await certificateOf(access, tenant.id);
  if (!tenant.active && LOST.has(certificate?.status)) {
    throw new EdgeFailure(
      'The hostname got no certificate. Let its CNAME record name the target, remove the domain and add it again.',
    );
  }
  return described(access, await withCertificate(access, tenant, certificate), certificate);
}

/** CloudFront has a certificate issued for a tenant, and leaves it to others to put it to use. */
async function withCertificate(access: Access, tenant: Tenant, certificate: Certificate | undefined): Promise<Tenant> {
  if (certificate?.status !== 'issued') return tenant;
  const latest = await onLatest(access, tenant, async (state) => {
    const { Customizations: given } = state.record;
    const waits = state.enabled && state.deployed && !state.active && given?.Certificate?.Arn !== certificate.arn;
    if (!waits) return state;
    return updateTenant(access, state, { Customizations: { ...given, Certificate: { Arn: certificate.arn } } });
  });
  if (latest === 'gone') throw new EdgeFailure('Somebody else took the hostname away at the same time.');
  return latest;
}

async function described(
  access: Access,
  { id, enabled, deployed, active, record }: Tenant,
  certificate: Certificate | undefined,
): Promise<EdgeTenant> {
  const target = await targetOf(access, record.ConnectionGroupId);
  return { tenantId: id, target, certificateArn: certificate?.arn, isServed: enabled && deployed && active };
}

async function switchOff(access: Access, tenantId: string): Promise<'done' | 'under_way'> {
  const tenant = await findTenant(access, tenantId);
  if (tenant === undefined) return 'done';
  const latest = await onLatest(access, tenant, async (state) =>
    state.enabled ? updateTenant(access, state, { Enabled: false }) : state,
  );
  return latest === 'gone' || (!latest.enabled && latest.deployed) ? 'done' : 'under_way';
}

async function takeAway(access: Access, tenantId: string): Promise<'done' | 'under_way'> {
  const tenant = await findTenant(access, tenantId);
  if (tenant === undefined) return 'done';
  try {
    const outcome = await onLatest(access, tenant, async (state) => {
      // Somebody may have switched it on again by hand: it must not stay so for ever.
      if (state.enabled) await updateTenant(access, state, { Enabled: false });
      if (state.enabled || !state.deployed) return 'under_way';
      await deleteTenant(access, state);
      return 'done';
    });
    return outcome === 'gone' ? 'done' : outcome;
  } catch (error) {
    if (isNamed(error, NOT_YET)) return 'under_way';
    throw error;
  }
}

async function deleteCertificate(acm: ACMClient, call: Call, certificateArn: string): Promise<'done' | 'under_way'> {
  try {
    await call((options) => acm.send(new DeleteCertificateCommand({ CertificateArn: certificateArn }), options));
    return 'done';
  } catch (error) {
    if (isNamed(error, NO_CERTIFICATE)) return 'done';
    if (isNamed(error, CERTIFICATE_IN_USE)) return 'under_way';
    throw error;
  }
}
