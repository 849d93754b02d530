/**
 * The content delivery network that serves custom hostnames. Each hostname has a tenant with a certificate. Every
 * method is idempotent.
 */
export type CdnProvider = {
  /**
   * Creates the domain's only tenant and requests a certificate for it. Call this method again until `isServed` is
   * true: as soon as the CDN has issued the certificate, the next call attaches it.
   */
  create(request: { domainId: string; hostname: string }): Promise<CdnTenant>;
  /** @returns undefined if there is no tenant with this id */
  find(tenantId: string): Promise<CdnTenant | undefined>;
  /** Finds a tenant without its id. If the response of `create` was lost, the id is unknown. */
  findByDomain(domainId: string): Promise<CdnTenant | undefined>;
  /** `done`: no edge location serves the hostname any more. `in_progress`: some edge locations may still serve it. */
  disable(tenantId: string): Promise<'done' | 'in_progress'>;
  /** Deletes a tenant. Disables it first if it is enabled. `in_progress`: the tenant cannot be deleted yet. */
  delete(tenantId: string): Promise<'done' | 'in_progress'>;
  /** `in_progress`: the certificate is still in use. */
  deleteCertificate(certificateArn: string): Promise<'done' | 'in_progress'>;
};

export type CdnTenant = {
  tenantId: string;
  /** The target of the hostname's CNAME record. */
  target: string;
  /** Undefined if the CDN reports no certificate for the tenant. */
  certificateArn: string | undefined;
  /** Whether every edge location serves the hostname with its certificate. */
  isServed: boolean;
};

/** An operation at the CDN failed or is impossible. The message is a sentence for the operator. */
export class CdnError extends Error {
  override readonly name = 'CdnError';
}
