import { randomUUID } from 'node:crypto';
import type { CdnProvider, CdnTenant } from '../../../shared/domains/cdn-provider.ts';

type Settings = {
  /** Number of requests that report a step as in progress. Later requests report the step as complete. */
  polls?: number;
};

type Tenant = { domainId: string; hostname: string; isEnabled: boolean; asked: number; certificateArn?: string };

export function memoryEdge({ polls = 2 }: Settings = {}) {
  const tenants = new Map<string, Tenant>();
  const certificates = new Map<string, number>();
  const next = (tenant: Tenant) => ++tenant.asked > polls;
  const seen = (tenantId: string, tenant: Tenant): CdnTenant => ({
    tenantId,
    target: `${tenantId}.edge.example`,
    certificateArn: tenant.certificateArn,
    isServed: tenant.isEnabled && tenant.asked > polls,
  });
  const ofDomain = (domainId: string) => [...tenants].find(([, tenant]) => tenant.domainId === domainId);
  const edge: CdnProvider = {
    create: async ({ domainId, hostname }) => {
      const there = ofDomain(domainId);
      if (there === undefined) {
        const tenantId = `dt_${randomUUID()}`;
        const tenant = { domainId, hostname, isEnabled: true, asked: 0 };
        tenants.set(tenantId, tenant);
        return seen(tenantId, tenant);
      }
      const [tenantId, tenant] = there;
      next(tenant);
      // As with CloudFront, the certificate is known only some time after the creation of the tenant.
      tenant.certificateArn ??= `arn:certificate/${randomUUID()}`;
      certificates.set(tenant.certificateArn, 0);
      return seen(tenantId, tenant);
    },
    find: async (tenantId) => {
      const tenant = tenants.get(tenantId);
      return tenant && seen(tenantId, tenant);
    },
    findByDomain: async (domainId) => {
      const there = ofDomain(domainId);
      return there && seen(...there);
    },
    disable: async (tenantId) => {
      const tenant = tenants.get(tenantId);
      if (tenant === undefined) return 'done';
      if (tenant.isEnabled) Object.assign(tenant, { isEnabled: false, asked: 0 });
      return next(tenant) ? 'done' : 'in_progress';
    },
    delete: async (tenantId) => {
      const tenant = tenants.get(tenantId);
      if (tenant === undefined) return 'done';
      if (tenant.isEnabled) Object.assign(tenant, { isEnabled: false, asked: 0 });
      if (!next(tenant)) return 'in_progress';
      tenants.delete(tenantId);
      return 'done';
    },
    deleteCertificate: async (arn) => {
      if ([...tenants.values()].some(({ certificateArn }) => certificateArn === arn)) return 'in_progress';
      const asked = (certificates.get(arn) ?? polls) + 1;
      certificates.set(arn, asked);
      if (asked <= polls) return 'in_progress';
      certificates.delete(arn);
      return 'done';
    },
  };
  return {
    edge,
    tenants,
    certificates,
    /** Adds a tenant that serves a domain, and its certificate. */
    serve: (domainId: string, hostname: string) => {
      const [tenantId, certificateArn] = [`dt_${randomUUID()}`, `arn:certificate/${randomUUID()}`];
      tenants.set(tenantId, { domainId, hostname, isEnabled: true, asked: polls + 1, certificateArn });
      certificates.set(certificateArn, 0);
      return { tenantId, certificateArn };
    },
  };
}
