/**
 * What serves custom hostnames, a content delivery network: each hostname has a tenant there, with a certificate. Every
 * method can be repeated, and what is asked for and has happened already counts as done.
 */
export type CdnProvider = {
  /**
   * Sets a hostname up, once whatever the number of calls for the same domain; its certificate is asked for with it, and
   * put to use by the next call after it was issued: to be repeated until the hostname is served.
   */
  create(request: { domainId: string; hostname: string }): Promise<CdnTenant>;
  /** Undefined when there is none of this id. */
  find(tenantId: string): Promise<CdnTenant | undefined>;
  /** By the domain, where an answer of `create` was lost. */
  findByDomain(domainId: string): Promise<CdnTenant | undefined>;
  /** `done`: no edge location serves it any more; `under_way`: asked for, and not everywhere yet. */
  disable(tenantId: string): Promise<'done' | 'under_way'>;
  /** Takes a tenant away; one that is not disabled (any more) is disabled first. */
  delete(tenantId: string): Promise<'done' | 'under_way'>;
  /** `under_way`: something still uses it. */
  deleteCertificate(certificateArn: string): Promise<'done' | 'under_way'>;
};

export type CdnTenant = {
  tenantId: string;
  /** What the hostname's CNAME record must name. */
  target: string;
  /** Undefined before it was asked for. */
  certificateArn: string | undefined;
  /** Whether it is served everywhere, certificate included. */
  isServed: boolean;
};

/** The edge refused, or did not answer; the message is a sentence for the operator. */
export class CdnError extends Error {
  override readonly name = 'EdgeFailure';
}
