import { join } from 'node:path';
import * as z from 'zod/mini';
import { openJsonFile, type PersistedValue } from '../common/json-file.ts';

/** A tenant's status is not stored, but derived from the stored times. Times are milliseconds since the epoch. */
const Tenant = z.object({
  id: z.string(),
  name: z.string(),
  domain: z.string(),
  enabled: z.boolean(),
  certificateArn: z.nullable(z.string()),
  version: z.int(),
  createdAtMs: z.number(),
  changedAtMs: z.number(),
  deployedAtMs: z.number(),
  tags: z.record(z.string(), z.string()),
});
export type Tenant = z.infer<typeof Tenant>;

const Certificate = z.object({
  arn: z.string(),
  tenantId: z.string(),
  domain: z.string(),
  settledAtMs: z.number(),
  /** Null while the tenant of the certificate exists. */
  usedUntilMs: z.nullable(z.number()),
});
export type Certificate = z.infer<typeof Certificate>;

const PersistedState = z.object({ tenants: z.array(Tenant), certificates: z.array(Certificate) });
type PersistedState = z.infer<typeof PersistedState>;

/** `stepMs` is the duration of a CloudFront deployment, and of issuing a certificate. */
export type EdgeState = { persisted: PersistedValue<PersistedState>; nowMs: () => number; stepMs: number };

export const openEdgeState = (folder: string, stepMs: number, nowMs: () => number): EdgeState => ({
  persisted: openJsonFile(join(folder, 'edge.json'), PersistedState, { tenants: [], certificates: [] }),
  nowMs,
  stepMs,
});

/** Adds or replaces a tenant, and adds its certificate if one is given. */
export function saveTenant({ persisted: state }: EdgeState, tenant: Tenant, certificate?: Certificate): void {
  const { tenants, certificates } = state.read();
  state.write({
    tenants: [...tenants.filter(({ id }) => id !== tenant.id), tenant],
    certificates: certificate === undefined ? certificates : [...certificates, certificate],
  });
}

/** Removes a tenant. As in CloudFront, its certificate stays in use for some time, here until `usedUntilMs`. */
export function removeTenant({ persisted: state }: EdgeState, tenantId: string, usedUntilMs: number): void {
  const { tenants, certificates } = state.read();
  state.write({
    tenants: tenants.filter(({ id }) => id !== tenantId),
    certificates: certificates.map((certificate) =>
      certificate.tenantId === tenantId ? { ...certificate, usedUntilMs } : certificate,
    ),
  });
}

export function removeCertificate({ persisted: state }: EdgeState, certificateArn: string): void {
  const { tenants, certificates } = state.read();
  state.write({ tenants, certificates: certificates.filter(({ arn }) => arn !== certificateArn) });
}
