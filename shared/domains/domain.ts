import * as z from 'zod/mini';

/**
 * Maximum number of domains of an organization, unless another limit is set for it. The number is limited, because an
 * AWS account has a quota of CDN tenants.
 */
export const DEFAULT_DOMAINS_MAX = 100;

/**
 * `pending`: the hostname is reserved and not verified yet. `verified`: the hostname is being provisioned at the CDN.
 * `active`: the CDN serves the hostname, or the stage has no CDN. `removing`: reads treat the domain as deleted.
 */
const DOMAIN_STATUSES = ['pending', 'verified', 'active', 'removing'] as const;

/** The steps of a removal, in this order. Each step can be repeated. */
export const REMOVAL_STEPS = [
  'unbind_pages',
  'disable_edge',
  'delete_edge',
  'delete_certificate',
  'release_hostname',
] as const;
export type RemovalStep = (typeof REMOVAL_STEPS)[number];

/** Progress of work that takes several attempts, for the operator. Times are ISO 8601 UTC with milliseconds. */
const StepProgress = z.object({
  /** Start of the work. */
  since: z.string(),
  /** Number of consecutive failed attempts. */
  attempts: z.int().check(z.minimum(0)),
  /** Why the last attempt did not complete; null if there is no reason to report. */
  failureReason: z.nullable(z.string()),
});
export type StepProgress = z.infer<typeof StepProgress>;

/** State of a removal. `since`, `attempts` and `failureReason` belong to the current step. */
const Removal = z.extend(StepProgress, { requestedAt: z.string(), step: z.enum(REMOVAL_STEPS) });
export type Removal = z.infer<typeof Removal>;

/** A hostname that serves pages of one organization. Times are ISO 8601 UTC with milliseconds. */
export const CustomDomain = z.object({
  id: z.guid(),
  orgId: z.guid(),
  /** In lower case, without a trailing dot. Labels with non-ASCII characters are A-labels. */
  hostname: z.string(),
  status: z.enum(DOMAIN_STATUSES),
  /** The hostname is verified by the TXT record `_tributary.<hostname>` with the value `tributary-verify=<token>`. */
  verificationToken: z.string(),
  pageIds: z.array(z.guid()),
  /** Id of the tenant at the CDN; null before the tenant is created, and in a stage without a CDN. */
  tenantId: z.nullable(z.string()),
  certificateArn: z.nullable(z.string()),
  /** The target of the hostname's CNAME record; null without a tenant. */
  target: z._default(z.nullable(z.string()), null),
  createdAt: z.string(),
  /** When the domain became active. Null: it has not become active yet, or became active in an earlier release. */
  activatedAt: z._default(z.nullable(z.string()), null),
  /** Progress at the CDN while the domain is `verified`. */
  provisioning: z._default(z.nullable(StepProgress), null),
  removal: z.nullable(Removal),
  /**
   * Until this time, work that began before a removal may still bind a page or create a tenant. The removal waits until
   * this time, so that it does not miss the page or the tenant.
   */
  removalHoldUntil: z._default(z.nullable(z.string()), null),
  /** When the sweeper processes the domain next; null if the domain has no unfinished work. */
  dueAt: z._default(z.nullable(z.string()), null),
  /** Incremented by `update` and `markRemoving`, so that only one of two concurrent updates succeeds. */
  revision: z.int().check(z.minimum(0)),
});
export type CustomDomain = z.infer<typeof CustomDomain>;

export type DomainIds = { orgId: string; domainId: string };

export const toDomainIds = ({ orgId, id }: CustomDomain): DomainIds => ({ orgId, domainId: id });
