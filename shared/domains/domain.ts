import * as z from 'zod';

/**
 * `pending`: reserved, its owner has not proven the hostname yet; `verified`: proven, and the edge is being set up for it;
 * `active`: served; `removing`: no read knows it any more.
 */
export const DOMAIN_STATUSES = ['pending', 'verified', 'active', 'removing'] as const;

/** What a removal does, in this order; each step can be repeated. */
export const REMOVAL_STEPS = [
  'unbind_pages',
  'disable_edge',
  'delete_edge',
  'delete_certificate',
  'release_hostname',
] as const;
export type RemovalStep = (typeof REMOVAL_STEPS)[number];

/** How far a removal is, for the operator. Times are ISO 8601 UTC with milliseconds. */
const Removal = z.object({
  requestedAt: z.string(),
  step: z.enum(REMOVAL_STEPS),
  /** Of this step; 0 when none has failed. */
  attempts: z.int().min(0),
  /** What kept the last attempt from its end, in a sentence; null when nothing did. */
  problem: z.string().nullable(),
});
export type Removal = z.infer<typeof Removal>;

/** A hostname of an organization's own, on which its pages are shown. */
export const Domain = z.object({
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
  tenantId: z.string().nullable(),
  certificateArn: z.string().nullable(),
  createdAt: z.string(),
  removal: Removal.nullable(),
});
export type Domain = z.infer<typeof Domain>;
