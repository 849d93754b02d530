import { join } from 'node:path';
import * as z from 'zod/mini';
import { openJsonFile, type PersistedValue } from '../common/json-file.ts';

/** Times are milliseconds since the epoch: what a tenant or a certificate is follows from the clock, also after a kill. */
const Tenant = z.object({
  id: z.string(),
  name: z.string(),
  domain: z.string(),
  enabled: z.boolean(),
  /** The certificate that it was told to use. */
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
  /** Null as long as its tenant is there. */
  usedUntilMs: z.nullable(z.number()),
});
export type Certificate = z.infer<typeof Certificate>;

const PersistedState = z.object({ tenants: z.array(Tenant), certificates: z.array(Certificate) });
type PersistedState = z.infer<typeof PersistedState>;

/** All that the edge knows, with the clock it goes by. */
export type EdgeState = { persisted: PersistedValue<PersistedState>; nowMs: () => number; stepMs: number };

export const openEdgeState = (folder: string, stepMs: number, nowMs: () => number): EdgeState => ({
  persisted: openJsonFile(join(folder, 'edge.json'), PersistedState, { tenants: [], certificates: [] }),
  nowMs,
  stepMs,
});

/** With the tenant in its new state. */
export function saveTenant({ persisted: state }: EdgeState, tenant: Tenant, certificate?: Certificate): void {
  const { tenants, certificates } = state.read();
  state.write({
    tenants: [...tenants.filter(({ id }) => id !== tenant.id), tenant],
    certificates: certificate === undefined ? certificates : [...certificates, certificate],
  });
}

/** Without the tenant; its certificate is in use a little longer, as its traces at the edge are. */
export function removeTenant({ persisted: state }: EdgeState, tenantId: string, usedUntilMs: number): void {
  const { tenants, certificates } = state.read();
  state.write({
    tenants: tenants.filter(({ id }) => id !== tenantId),
    certificates: certificates.map((one) => (one.tenantId === tenantId ? { ...one, usedUntilMs } : one)),
  });
}

export function removeCertificate({ persisted: state }: EdgeState, certificateArn: string): void {
  const { tenants, certificates } = state.read();
  state.write({ tenants, certificates: certificates.filter(({ arn }) => arn !== certificateArn) });
}
