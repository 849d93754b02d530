import * as z from 'zod/mini';

/** Domains per organization unless the organization has its own limit. An AWS account has a quota of CDN tenants. */
export const DEFAULT_DOMAINS_MAX = 100;

/**
 * `pending`: reserved, its owner has not proven the hostname yet; `verified`: proven, and the edge is being set up for it;
 * `active`: served; `removing`: no read knows it any more.
 */
const DOMAIN_STATUSES = ['pending', 'verified', 'active', 'removing'] as const;

/** What a removal does, in this order; each step can be repeated. */
export const REMOVAL_STEPS = [
  'unbind_pages',
  'disable_edge',
  'delete_edge',
  'delete_certificate',
  'release_hostname',
] as const;
export type RemovalStep = (typeof REMOVAL_STEPS)[number];

/** How something that takes several attempts comes along, for the operator. Times are ISO 8601 UTC with milliseconds. */
const StepProgress = z.object({
  /** Since when this is being done. */
  since: z.string(),
  /** How many have failed; 0 when none has. */
  attempts: z.int().check(z.minimum(0)),
  /** What kept the last attempt from its end, in a sentence; null when nothing did. */
  problem: z.nullable(z.string()),
});
export type StepProgress = z.infer<typeof StepProgress>;

/** How far a removal is; its progress is that of the step. */
const Removal = z.extend(StepProgress, { requestedAt: z.string(), step: z.enum(REMOVAL_STEPS) });
export type Removal = z.infer<typeof Removal>;

/** A hostname of an organization's own, on which its pages are shown. Times are ISO 8601 UTC with milliseconds. */
export const CustomDomain = z.object({
  id: z.guid(),
  orgId: z.guid(),
  /** Lower case, without a trailing dot; A-labels for letters beyond ASCII. */
  hostname: z.string(),
  status: z.enum(DOMAIN_STATUSES),
  /** Proves the hostname, as the TXT record `_tributary.<hostname>`. */
  verificationToken: z.string(),
  /** The pages that are shown on it. */
  pageIds: z.array(z.guid()),
  /** What serves it at the edge; null before it was set up, and where a stage has no edge. */
  tenantId: z.nullable(z.string()),
  certificateArn: z.nullable(z.string()),
  /** What the hostname's CNAME record must name; null while nothing serves it. */
  target: z._default(z.nullable(z.string()), null),
  createdAt: z.string(),
  /** While it is `verified`. */
  setUp: z._default(z.nullable(StepProgress), null),
  removal: z.nullable(Removal),
  /**
   * Until then somebody who began before a removal may still bind a page to it or have it set up at the edge: a removal
   * waits that long, or it would miss what they make.
   */
  busyUntil: z._default(z.nullable(z.string()), null),
  /** When the next step is due; null when nothing is left to do. */
  dueAt: z._default(z.nullable(z.string()), null),
  /** Grows with each write, so that of two at once one alone succeeds. */
  revision: z.int().check(z.minimum(0)),
});
export type CustomDomain = z.infer<typeof CustomDomain>;

export type DomainIds = { orgId: string; domainId: string };

export const toDomainIds = ({ orgId, id }: CustomDomain): DomainIds => ({ orgId, domainId: id });
