import * as z from 'zod/mini';

const atMost = z.optional(z.int().check(z.minimum(0)));

/** Limits of an organization in place of the service's own (decisions 11). */
export const OrganizationLimits = z.object({
  smsPerDay: atMost,
  aiTokensPerDay: atMost,
  uploadBytesPerDay: atMost,
  sessionsPerDay: atMost,
  domains: atMost,
});

const days = z.optional(z.int().check(z.minimum(1), z.maximum(36_500)));

/** How long an organization keeps what its visitors and trainees leave, in days; absent: until somebody erases it. */
const RetentionPeriods = z.object({
  /** Leads with their files, after their last submit; a funnel's own time is the shorter of both. */
  leadDays: days,
  /** Training calls with transcript and recording, after their creation. */
  callDays: days,
  /** Recordings alone. */
  recordingDays: days,
});
export type RetentionPeriods = z.infer<typeof RetentionPeriods>;

export const Organization = z.object({
  id: z.guid(),
  name: z.string(),
  timezone: z._default(z.string(), 'UTC'),
  limits: z._default(OrganizationLimits, {}),
  retention: z._default(RetentionPeriods, {}),
});
export type Organization = z.infer<typeof Organization>;

/** What an organization's own routes read of it. */
export type OrganizationRepository = {
  /** The organization's settings, cached for at most 30 s. */
  find(orgId: string): Promise<Organization | undefined>;
  /** Whether the funnel is this organization's, archived or not. */
  ownsFunnel(orgId: string, funnelId: string): Promise<boolean>;
};
